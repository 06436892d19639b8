#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sim/clock/time.hpp"

namespace berth::experiments {

// What a scheduler for Batsim answers, as far as berth has a counterpart.

struct ExecuteJob {
    std::string job;
    std::vector<std::uint32_t> hosts;  ///< Ascending.
};
struct RejectJob {
    std::string job;
};
struct KillJobs {
    std::vector<std::string> jobs;
};
/// It wants to be called at these times: once, or each period.
struct CallMeLater {
    std::string id;
    sim::SimTime at{};                   ///< Of one call.
    std::optional<sim::SimTime> period;  ///< From time 0 on.
    std::optional<std::uint64_t> times;  ///< Of periodic calls; nothing: without end.
};
struct StopCallMeLater {
    std::string id;
};

struct BatsimDecision {
    sim::SimTime at{};
    std::variant<ExecuteJob, RejectJob, KillJobs, CallMeLater, StopCallMeLater> what;
};

struct BatsimAnswer {
    sim::SimTime until{};  ///< It takes its time to decide, and hears of nothing before.
    std::vector<BatsimDecision> decisions;  ///< By time.
};

/// Reads the answer to a message that was sent now.
/// Errors: sim::SchedulerError, whose text goes on after the library's name, for what is no message
///         or has no counterpart.
[[nodiscard]] BatsimAnswer read_answer(const std::string& text, sim::SimTime now);

/// Reads what a library says as it begins, and refuses another version of the protocol and what it
/// asks for that berth has not.
/// Errors: the same.
void check_hello(const std::string& text);

/// Numbers of hosts as `0-3 13 21`, ascending; nothing where the text is something else.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> read_hosts(const std::string& text);

}  // namespace berth::experiments

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sim/clock/time.hpp"

namespace berth::experiments {

// The answers of a scheduler for Batsim, as far as berth has a counterpart.

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
/// A request to be called at certain times: once, or periodically.
struct CallMeLater {
    std::string id;
    sim::SimTime at{};                   ///< Time of a single call.
    std::optional<sim::SimTime> period;  ///< Counted from time 0.
    std::optional<std::uint64_t> times;  ///< Number of periodic calls; nothing: without end.
};
struct StopCallMeLater {
    std::string id;
};

struct BatsimDecision {
    sim::SimTime at{};
    std::variant<ExecuteJob, RejectJob, KillJobs, CallMeLater, StopCallMeLater> what;
};

struct BatsimAnswer {
    sim::SimTime until{};  ///< How long the scheduler takes to decide; it gets no messages before
                           ///< that.
    std::vector<BatsimDecision> decisions;  ///< Sorted by time.
};

/// Reads the answer to a message that was sent now.
/// Errors: sim::SchedulerError for an answer that is no message or has no counterpart. Its text
///         continues after the library's name.
[[nodiscard]] BatsimAnswer read_answer(const std::string& text, sim::SimTime now);

/// Reads the library's first message. Refuses another version of the protocol, and requests for
/// features that berth does not have.
/// Errors: the same.
void check_hello(const std::string& text);

/// Parses numbers of hosts such as `0-3 13 21`, ascending; nothing for any other text.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> read_hosts(const std::string& text);

}  // namespace berth::experiments

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/tree/ids.hpp"
#include "sim/clock/time.hpp"

namespace berth::sim {

/// A part of the cluster fails, and all below it is out until it is back.
struct Outage {
    SimTime at{};
    core::NodeId node;            ///< It and all below it are out.
    std::string component;        ///< What failed: the node, or a device in it: `server-0/rdma-1`.
    std::string level;            ///< Of what failed: `rack`, or a kind of device.
    std::uint32_t cause = 0;      ///< Which of Settings::failure_causes.
    std::optional<SimTime> back;  ///< Nothing: not before the end of the run.
    std::uint64_t jobs = 0;       ///< Those that lost their places to it.
};

/// An outage begins, is detected, or is over, in this order. Until it is detected, what is out
/// looks as if it worked, and who runs there does nothing.
struct FailureEvent {
    SimTime at{};
    std::uint64_t number = 0;      ///< Of the outage; they are counted from 0 as they begin.
    std::optional<Outage> begins;  ///< Nothing: it has begun before.
    bool detected = false;         ///< With `begins`, at once. Neither of them: it is over.
};

/// What fails and when it is back, whatever the jobs do.
class FailureSource {
public:
    virtual ~FailureSource() = default;
    /// The next event, or nothing after the last. Times never go back.
    virtual std::optional<FailureEvent> next() = 0;
};

}  // namespace berth::sim

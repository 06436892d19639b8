#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/tree/ids.hpp"
#include "sim/clock/time.hpp"

namespace berth::sim {

/// A part of the cluster fails, and everything below it is out until it is back.
struct Outage {
    SimTime at{};
    core::NodeId node;            ///< The failed node, which is out with everything below it.
    std::string component;        ///< What failed: the node, or a device in it: `server-0/rdma-1`.
    std::string level;            ///< The level of what failed: `rack`, or a kind of device.
    std::uint32_t cause = 0;      ///< Index into Settings::failure_causes.
    std::optional<SimTime> back;  ///< Nothing: not before the end of the run.
    std::uint64_t jobs = 0;       ///< Number of jobs that lost their places to it.
};

/// An outage begins, is detected, or is over, in this order. Until it is detected, the part that is
/// out looks as if it worked, and a job that runs there does nothing.
struct FailureEvent {
    SimTime at{};
    std::uint64_t number = 0;      ///< The number of the outage; outages are counted from 0 as they
                                   ///< begin.
    std::optional<Outage> begins;  ///< Nothing: it began earlier.
    bool detected = false;         ///< Together with `begins`: it is detected at once. Neither: the
                                   ///< outage is over.
};

/// What fails and when it is back, independent of the jobs.
class FailureSource {
public:
    virtual ~FailureSource() = default;
    /// The next event, or nothing after the last. Times never go back.
    virtual std::optional<FailureEvent> next() = 0;
};

}  // namespace berth::sim

#pragma once

#include <cstdint>

#include "sim/clock/time.hpp"

namespace berth::sim {

/// What happens at one instant. The order of the enumerators is the order within an instant: jobs
/// that finish release their servers before other jobs arrive, servers and quotas change before
/// pods arrive, the scheduler wakes when all pods of the instant have arrived, and a sample sees
/// the settled state.
enum class EventKind : std::uint8_t {
    finish,
    node_change,
    quota_change,
    resize,
    submit,
    first_timer,  ///< The next three are timers of the scheduler.
    second_timer,
    third_timer,
    sample,
};

/// One event of the future event list. The list's order is total: by time, kind, and the order of
/// scheduling, so two runs of one seed handle the same events on every machine.
struct Event {
    SimTime at{};
    EventKind kind = EventKind::sample;
    /// Index of a job or of a change, depending on the kind; it takes no part in the order. For a
    /// submit event, 0 is the next job of the source, and any other number is a job that comes
    /// after others.
    std::uint32_t subject = 0;
};

}  // namespace berth::sim

#pragma once

#include <cstdint>

#include "sim/clock/time.hpp"

namespace berth::sim {

/// What happens at one instant. Enumerator order is the order within an instant: jobs that finish
/// release their servers before others arrive, servers and quotas are as they will be when pods
/// arrive, the scheduler wakes when all who arrive have arrived, and a sample sees the settled
/// state.
enum class EventKind : std::uint8_t {
    finish,
    node_change,
    quota_change,
    resize,
    submit,
    first_timer,  ///< Of the scheduler; so are the next two.
    second_timer,
    third_timer,
    sample,
};

/// One event of the future event list. The list's order is total: by time, kind, and the order of
/// scheduling, so two runs of one seed handle the same events on every machine.
struct Event {
    SimTime at{};
    EventKind kind = EventKind::sample;
    /// Index of a job or a change, by kind; no part of the order. Of a submit: 0 for the next job
    /// of the source, or else one of those that come after others.
    std::uint32_t subject = 0;
};

}  // namespace berth::sim

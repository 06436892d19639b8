#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/support/huge_pages.hpp"
#include "sim/clock/event_queue.hpp"
#include "sim/job/records.hpp"

namespace berth::sim {

/// Names a job until it has ended; afterwards another job may get the same id.
struct JobId {
    std::uint32_t index = 0;
    friend auto operator<=>(const JobId&, const JobId&) = default;
};

/// Where a job stands in its life: waiting -> running <-> suspended, back to waiting when it is
/// evicted, and from each of them to its end.
enum class JobPhase : std::uint8_t {
    waiting,
    running,    ///< Members hold places. They work once there are as many as the job needs.
    suspended,  ///< Nothing is held and nothing is done until it goes on where it was.
    ended,
};

/// A job that has arrived, as the simulation knows it. It is kept small, in whole cache lines: in a
/// run with many jobs, each event waits for the state of another job.
struct alignas(core::cache_line) JobState {
    JobRecord record;
    std::uint64_t entry = 0;     ///< Grows with each job that begins to wait, or waits again.
    OptionalTime left;           ///< What is left of its work (its duration).
    OptionalTime working_since;  ///< When its members began to do their work.
    OptionalTime hung_since;     ///< When it began to hang on a server that has failed unnoticed.
    SimTime restart{};           ///< How long it does no work yet when its work begins.
    OptionalTime grace_over;     ///< When it is evicted, because of `leaving`.
    /// Indexes of those interruptions in its record after which it has not yet done as much work
    /// again. The last of them has the least work to do.
    core::CompactVector<std::size_t> unrecovered;
    std::optional<EventHandle> stop;  ///< The end of its work, or of its grace.
    std::optional<EventHandle> resize;
    std::uint32_t resizes_done = 0;
    JobPhase phase = JobPhase::waiting;
    EvictionCause leaving = EvictionCause::preempted;
    bool ends_in_grace = false;  ///< Its work ends in its grace period: it is evicted only if it
                                 ///< hangs before.

    [[nodiscard]] const Job& job() const { return record.job; }
    [[nodiscard]] bool waits() const { return phase == JobPhase::waiting; }
    [[nodiscard]] bool runs() const { return phase == JobPhase::running; }
    [[nodiscard]] bool is_on_its_way_out() const { return grace_over && !ends_in_grace; }
    [[nodiscard]] bool ended() const { return phase == JobPhase::ended; }
};

}  // namespace berth::sim

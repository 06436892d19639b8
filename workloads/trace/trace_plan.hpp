#pragma once

#include <cstdint>
#include <optional>

#include "core/tree/ids.hpp"
#include "sim/job/checkpoint.hpp"

namespace berth::workloads {

/// The order in which the jobs of a trace arrive.
enum class TraceOrder : std::uint8_t {
    time,  ///< Sorted by submit time; jobs with equal times keep the order of the file.
    file,
};

enum class TraceTimes : std::uint8_t {
    recorded,  ///< Submit times and durations are taken from the trace.
    ignored,   ///< Jobs arrive one after another, and no job ends.
};

/// Which instant of a trace becomes time 0 of the run.
enum class TraceZero : std::uint8_t {
    first_arrival,
    trace,  ///< The trace's own zero, except that no job arrives before the run begins.
};

/// Which field of a job names its quota.
enum class TraceQuota : std::uint8_t { queue, user, none };

/// How the jobs of a trace are changed before they arrive, in the order of these members.
struct TraceChanges {
    double sample = 1;            ///< Each job is kept with this probability.
    std::uint64_t bootstrap = 0;  ///< Number of jobs to draw with replacement; 0: the trace's own
                                  ///< jobs.
    bool shuffle = false;
    std::optional<core::Amount> tune_milli;  ///< Number of milli-GPU that all jobs together shall
                                             ///< request.
    double inflate = 1;                      ///< Multiplies the number of jobs, by clones.
    double rate = 1;                         ///< Multiplies the number of jobs per hour.
    double durations = 1;                    ///< Multiplies run times.

    [[nodiscard]] bool need_all_jobs() const {
        return bootstrap > 0 || shuffle || tune_milli || inflate > 1;
    }
};

/// How a trace becomes a workload.
struct TracePlan {
    TraceOrder order = TraceOrder::time;
    TraceTimes times = TraceTimes::recorded;
    TraceQuota quota = TraceQuota::queue;
    bool gangs = true;        ///< Otherwise each member of a job is a separate pod.
    std::uint64_t limit = 0;  ///< Maximum number of jobs to take from the file; 0: all.
    TraceChanges changes;
    TraceZero zero = TraceZero::first_arrival;
    std::optional<sim::Checkpoint> checkpoint{};  ///< Applies to every job.
};

}  // namespace berth::workloads

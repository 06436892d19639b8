#pragma once

#include <cstdint>
#include <optional>

#include "core/tree/ids.hpp"
#include "sim/job/checkpoint.hpp"

namespace berth::workloads {

/// In which order the jobs of a trace arrive.
enum class TraceOrder : std::uint8_t {
    time,  ///< By submit time; equal times in the order of the file.
    file,
};

enum class TraceTimes : std::uint8_t {
    recorded,  ///< Submit times and durations are the trace's.
    ignored,   ///< Jobs arrive one after the other, and none ends.
};

/// Which instant of a trace is the run's 0.
enum class TraceZero : std::uint8_t {
    first_arrival,
    trace,  ///< The trace's own zero; but no job arrives before the run begins.
};

/// Which field of a trace names the quota of a job.
enum class TraceQuota : std::uint8_t { queue, user, none };

/// What is made of the jobs of a trace before they arrive, in the order of these members.
struct TraceChanges {
    double sample = 1;            ///< Each job is kept with this probability.
    std::uint64_t bootstrap = 0;  ///< So many jobs, drawn with replacement; 0: the trace's own.
    bool shuffle = false;
    std::optional<core::Amount> tune_milli;  ///< So many milli-GPU are asked for in all.
    double inflate = 1;                      ///< So many times the jobs, by clones.
    double rate = 1;                         ///< Multiplies the number of jobs an hour.
    double durations = 1;                    ///< Run times are multiplied by it.

    [[nodiscard]] bool need_all_jobs() const {
        return bootstrap > 0 || shuffle || tune_milli || inflate > 1;
    }
};

/// How a trace becomes a workload.
struct TracePlan {
    TraceOrder order = TraceOrder::time;
    TraceTimes times = TraceTimes::recorded;
    TraceQuota quota = TraceQuota::queue;
    bool gangs = true;        ///< Otherwise each member of a job is a pod by itself.
    std::uint64_t limit = 0;  ///< No more of the file's jobs than these; 0: all.
    TraceChanges changes;
    TraceZero zero = TraceZero::first_arrival;
    std::optional<sim::Checkpoint> checkpoint{};  ///< Of every job.
};

}  // namespace berth::workloads

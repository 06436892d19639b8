#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/clock/random.hpp"
#include "workloads/trace/trace_job.hpp"

namespace berth::workloads {

/// A job that arrives: one of a trace, which outlives this, or one that differs from it by name and
/// time. A trace of a million jobs is changed without a second million of them in memory.
struct JobCopy {
    const TraceJob* of = nullptr;
    std::optional<sim::SimTime> submit;
    std::string added;  ///< What stands behind the name of the job that it is a copy of.

    [[nodiscard]] std::string name() const { return of->name + added; }
};

/// One of each job.
[[nodiscard]] std::vector<JobCopy> copies_of(const std::vector<TraceJob>& jobs);

/// Puts the jobs in a random order, each order equally probable.
void shuffle_jobs(std::vector<JobCopy>& jobs, sim::RandomBits& bits);

/// Adds or removes jobs until they ask for about `target_milli` thousandths of GPUs in all.
///
/// Too few: random jobs of those given are cloned as `NAME-tuned-0`, `NAME-tuned-1`, ... at the
/// end, until one is drawn of which a single device would go beyond the target. Too many: random
/// jobs are removed until they ask for no more than the target. Jobs without GPUs are drawn too.
/// Order:  draws are from the jobs sorted by name, or when removing from the jobs as they stand.
/// Errors: no job asks for GPUs: a caller's bug, aborts.
/// Source: "Beware of Fragmentation" (USENIX ATC 2023), the published simulator's tuning.
void tune_jobs(std::vector<JobCopy>& jobs, core::Amount target_milli, sim::RandomBits& bits);

/// Appends clones of random jobs, `NAME-inflated-0`, ..., so that there are `ratio` times as many,
/// rounded up.
/// Source: the same simulator's inflation.
void inflate_jobs(std::vector<JobCopy>& jobs, double ratio, sim::RandomBits& bits);

/// A new workload of `count` jobs, `NAME-drawn-0`, ...: each is a job drawn with replacement, and
/// comes after the one before it by a time drawn from those between arrivals. The first comes when
/// the first of `jobs` does.
/// Shape:  `jobs` have submit times, by which they are sorted where times matter; not empty.
[[nodiscard]] std::vector<JobCopy> bootstrap_jobs(const std::vector<JobCopy>& jobs,
                                                  std::uint64_t count,
                                                  sim::RandomBits& bits);

}  // namespace berth::workloads

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/clock/random.hpp"
#include "workloads/trace/trace_job.hpp"

namespace berth::workloads {

/// An arriving job: a job of a trace, which must outlive this, or one that differs from it in name
/// and time. In this way a trace of a million jobs is changed without a second million of jobs in
/// memory.
struct JobCopy {
    const TraceJob* of = nullptr;
    std::optional<sim::SimTime> submit;
    std::string added;  ///< The text appended to the name of the original job.

    [[nodiscard]] std::string name() const { return of->name + added; }
};

/// One copy of each job.
[[nodiscard]] std::vector<JobCopy> copies_of(const std::vector<TraceJob>& jobs);

/// Puts the jobs into a random order; all orders are equally probable.
void shuffle_jobs(std::vector<JobCopy>& jobs, sim::RandomBits& bits);

/// Adds or removes jobs until they request about `target_milli` thousandths of GPUs in all.
///
/// If they request too little, random jobs among those given are cloned as `NAME-tuned-0`,
/// `NAME-tuned-1`, ... at the end, until a job is drawn of which a single device would exceed the
/// target. If they request too much, random jobs are removed until they request no more than the
/// target. Jobs without GPUs are drawn too.
/// Order:  clones are drawn from the jobs sorted by name, removals from the jobs in their present
///         order.
/// Errors: if no job requests GPUs, that is a caller's bug and aborts.
/// Source: "Beware of Fragmentation" (USENIX ATC 2023), the published simulator's tuning.
void tune_jobs(std::vector<JobCopy>& jobs, core::Amount target_milli, sim::RandomBits& bits);

/// Appends clones of random jobs, `NAME-inflated-0`, ..., until there are `ratio` times as many
/// jobs, rounded up.
/// Source: the inflation of the same simulator.
void inflate_jobs(std::vector<JobCopy>& jobs, double ratio, sim::RandomBits& bits);

/// A new workload of `count` jobs, `NAME-drawn-0`, ...: each is a job drawn with replacement, and
/// arrives after the one before it by a time drawn from the times between arrivals. The first one
/// arrives when the first of `jobs` does.
/// Shape:  `jobs` is not empty; its jobs have submit times and are sorted by them where times
///         matter.
[[nodiscard]] std::vector<JobCopy> bootstrap_jobs(const std::vector<JobCopy>& jobs,
                                                  std::uint64_t count,
                                                  sim::RandomBits& bits);

}  // namespace berth::workloads

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/clock/window.hpp"
#include "sim/job/records.hpp"
#include "sim/job/stretch.hpp"
#include "sim/measure/job_kind.hpp"
#include "sim/measure/job_times.hpp"
#include "sim/meter/metric.hpp"
#include "sim/meter/sum_by_arrival.hpp"

namespace berth::sim {

/// What the jobs of each kind made of their time: how much of the time since their first start is
/// work that lasts, and how much of the time of the GPUs that they had brought something lasting.
///
/// Units: GPU time in the ledger's amounts of a GPU times nanoseconds, as 128-bit integers.
/// Cost:  O(1) for each stint that ends, and for each job.
class JobGains {
public:
    using Labels = std::array<std::string, job_trait_count>;  ///< Of a job, by trait.

    /// Counts the GPU time in the window; `gpu` is in the schema.
    JobGains(std::optional<std::size_t> gpu, Window window) : gpu_(gpu), window_(window) {}

    /// As Meter::stint_over() tells it; the job stays where it is until job() has it.
    void stint_over(const Job& job, const Stint& stint, const Stretch& stretch);
    /// The record of a job is complete.
    void job(const JobRecord& record, const Labels& labels);
    /// The run is over: the time of jobs that did not finish goes on until now.
    void finish(SimTime now);
    /// Adds `ettr_mean` and, in a cluster with GPUs, `goodput` of a kind.
    void add_to(std::vector<Metric>& out, JobTrait trait, const std::string& label) const;

private:
    __extension__ using Wide = __int128;
    struct HeldTime {
        Wide useful = 0;
        Wide all = 0;
    };
    struct Kind {
        HeldTime held;
        SumByArrival shares{};  ///< Of the time since their first start.
        std::uint64_t jobs = 0;
    };
    struct Unfinished {
        std::uint64_t arrival = 0;
        SimTime kept{};
        SimTime first_start{};
        std::array<Kind*, job_trait_count> kinds{};
    };
    static void count(const std::array<Kind*, job_trait_count>& kinds,
                      std::uint64_t place,
                      SimTime kept,
                      SimTime time);

    std::optional<std::size_t> gpu_;
    Window window_;
    std::unordered_map<const Job*, HeldTime> held_;  ///< Of jobs without a complete record.
    std::array<std::map<std::string, Kind>, job_trait_count> kinds_;
    std::vector<Unfinished> unfinished_;
};

/// Waits, completion times and slowdowns by job: a group counts once, however many members it has.
/// Names and meanings: docs/reference/metrics.md, "Jobs".
class JobMetrics {
public:
    /// `times` has the jobs that the window counts, and outlives it. A run that
    /// Settings::tells_gain() has what they made of their time by kind, too.
    JobMetrics(const JobTimes& times, const core::Topology& tree, Window window, bool tells_gain);

    /// Takes in a job at the time of its record.
    void job(const JobRecord& record);
    /// As Meter has it, in a run that tells_gain().
    void stint_over(const Job& job, const Stint& stint, const Stretch& stretch);
    /// The run is over.
    void finish(SimTime now);
    /// The metrics of all jobs, by job and, in a cluster with GPUs, by GPU.
    void add_to(std::vector<Metric>& out) const;
    /// The kinds by trait, then by label in the order of the names, as JobTimes has them.
    [[nodiscard]] std::vector<JobKind> kinds() const;

private:
    void add_statistics(std::vector<Metric>& out,
                        const std::string& prefix,
                        JobTimes::By by,
                        TimeStatistic statistic) const;
    /// Of the jobs of a kind, whose samples are not asked again.
    void add_statistics(std::vector<Metric>& out, JobTimes::Kind& kind) const;

    const JobTimes& times_;
    std::optional<JobGains> gains_;
};

}  // namespace berth::sim

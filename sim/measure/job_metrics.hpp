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

struct Settings;

/// What the jobs of each kind made of their time: how much of the time since their first start is
/// lasting work, and how much of the time of the GPUs that they had brought something lasting.
///
/// Units: GPU time in the ledger's amounts of a GPU times nanoseconds, as 128-bit integers.
/// Cost:  O(1) for each stint that ends, and for each job.
class JobGains {
public:
    using Labels = std::array<std::string, job_trait_count>;  ///< The labels of a job, by trait.

    /// Counts the GPU time in the window; `gpu` is the index of GPUs in the schema.
    JobGains(std::optional<std::size_t> gpu, Window window) : gpu_(gpu), window_(window) {}

    /// Called like Meter::stint_over(); the job keeps its address until job() is called for it.
    void stint_over(const Job& job, const Stint& stint, const Stretch& stretch);
    /// The record of a job is complete.
    void job(const JobRecord& record, const Labels& labels);
    /// The run is over: the time of jobs that did not finish goes on until now.
    void finish(SimTime now);
    /// Adds `ettr_mean` and, in a cluster with GPUs, `goodput` for a kind of jobs.
    void add_to(std::vector<Metric>& out, JobTrait trait, const std::string& label) const;

private:
    __extension__ using Wide = __int128;
    struct HeldTime {
        Wide useful = 0;
        Wide all = 0;
    };
    struct Kind {
        HeldTime held;
        SumByArrival shares{};  ///< Shares of lasting work in the time since the first start.
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
    std::unordered_map<const Job*, HeldTime> held_;  ///< Time of jobs whose record is not complete.
    std::array<std::map<std::string, Kind>, job_trait_count> kinds_;
    std::vector<Unfinished> unfinished_;
};

/// Waits, completion times and slowdowns by job: a group counts once, regardless of its size.
/// Names and meanings: docs/reference/metrics.md, "Jobs".
class JobMetrics {
public:
    /// `times` has the jobs that the settings' window counts; both outlive it. In a run for which
    /// Settings::tells_gain() holds, kinds also have what their jobs made of their time.
    JobMetrics(const JobTimes& times, const core::Topology& tree, const Settings& settings);

    /// Takes in a job at the time of its record.
    void job(const JobRecord& record);
    /// Called like Meter::stint_over(), in a run for which tells_gain() holds.
    void stint_over(const Job& job, const Stint& stint, const Stretch& stretch);
    /// The run is over.
    void finish(SimTime now);
    /// The metrics of all jobs, by job and, in a cluster with GPUs, by GPU.
    void add_to(std::vector<Metric>& out) const;
    /// The kinds by trait, then by label in the order of the names, as in JobTimes.
    [[nodiscard]] std::vector<JobKind> kinds() const;

private:
    void add_statistics(std::vector<Metric>& out,
                        const std::string& prefix,
                        JobTimes::By by,
                        TimeStatistic statistic) const;
    /// Adds the statistics of the jobs of a kind, whose samples are not used again.
    void add_statistics(std::vector<Metric>& out, JobTimes::Kind& kind) const;

    /// Adds the share of jobs that wait longer than each of Settings::waits_over.
    void add_shares(std::vector<Metric>& out, const CensoredSample& waits) const;

    const JobTimes& times_;
    const std::vector<SimTime>& waits_over_;
    std::optional<JobGains> gains_;
};

/// Such as `job_wait_over_10m_share`: the wait is in the largest unit that leaves it whole.
[[nodiscard]] std::string name_of_share_over(SimTime wait);

}  // namespace berth::sim

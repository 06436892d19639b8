#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/clock/window.hpp"
#include "sim/job/records.hpp"
#include "sim/job/stretch.hpp"
#include "sim/measure/job_gains.hpp"
#include "sim/measure/job_kind.hpp"
#include "sim/measure/job_times.hpp"

namespace berth::sim {

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

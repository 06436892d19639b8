#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "experiments/program/results/cluster.hpp"
#include "experiments/program/results/open_pods.hpp"
#include "experiments/program/results/run_directory.hpp"

namespace berth::report {

/// What changes in steps, as means over equal slices of a replication's time.
class StepMeans {
public:
    static constexpr std::size_t slices = 499;

    /// `share`: when it changes, of the replication's time; what comes after that is left out.
    void change(double share, double by);
    /// Of each slice, and what there is at the end.
    [[nodiscard]] std::vector<double> values() const;

private:
    std::vector<double> from_next_ = std::vector<double>(slices + 1);
    std::vector<double> within_ = std::vector<double>(slices + 1);
};

/// How many pods waited, and how much of the resource that people pay for pods had, over the time
/// of each replication. The times of its pods tell it, whether the run sampled or not.
class Course {
public:
    /// `end_s`: when each replication ended. `resources`: those of the servers, maybe none.
    Course(const std::vector<double>& end_s, const std::vector<std::string>& resources);

    /// `pods` of the same times; `amounts` is what each of them asks for by resource, or empty if
    /// that is not known.
    void add(const PodTimes& times,
             std::span<const EarlierRun> earlier,
             double pods,
             const std::vector<double>& amounts);

    /// Reads jobs.csv, for a run without pods.csv. It has only the last run of what was evicted:
    /// where anything was, there is no course.
    void add_jobs(const std::filesystem::path& file);

    /// 500 points a replication: `pods_waiting`, and `RESOURCE_utilization` with what was in use
    /// before the run.
    [[nodiscard]] TimeSeries series(const Cluster& cluster) const;

private:
    struct Replication {
        double end_s = 0;
        StepMeans waiting = {};
        StepMeans in_use = {};
    };
    std::vector<Replication> replications_;
    std::size_t resources_;
    std::size_t paid_;
    std::string resource_;
    bool amounts_known_ = true;
};

}  // namespace berth::report

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

/// A quantity that changes in steps, as means over equal slices of a replication's time.
class StepMeans {
public:
    static constexpr std::size_t slices = 499;

    /// Adds a change at a share of the replication's time. A change after its end is ignored.
    void change(double share, double by);
    /// The mean of each slice, and the value at the end.
    [[nodiscard]] std::vector<double> values() const;

private:
    std::vector<double> from_next_ = std::vector<double>(slices + 1);
    std::vector<double> within_ = std::vector<double>(slices + 1);
};

/// How many pods waited, and how much of the paid resource the pods had, over the time of each
/// replication. This is computed from the pods' times, whether the run took samples or not.
class Course {
public:
    /// `end_s`: the end of each replication. `resources`: the servers' resources, possibly none.
    Course(const std::vector<double>& end_s, const std::vector<std::string>& resources);

    /// Adds `pods` pods with the same times. `amounts` is what each of them asks for, by resource;
    /// empty: not known.
    void add(const PodTimes& times,
             std::span<const EarlierRun> earlier,
             double pods,
             const std::vector<double>& amounts);

    /// Reads jobs.csv, for a run without pods.csv. For an evicted job it has only the last run, so
    /// there is no course if any job was evicted.
    void add_jobs(const std::filesystem::path& file);

    /// A series of 500 points for each replication: `pods_waiting`, and `RESOURCE_utilization`,
    /// which includes what was in use before the run.
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

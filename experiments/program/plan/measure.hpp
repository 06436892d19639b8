#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/program/plan/choices.hpp"
#include "experiments/program/plan/search.hpp"
#include "experiments/program/sweep/plan.hpp"
#include "experiments/program/sweep/run_points.hpp"
#include "experiments/program/sweep/sweep_directory.hpp"

namespace berth::experiments {

/// Runs one point of a plan's sweep, which is not done. Others may have done it by the end.
using RunPoint = std::function<PointRuns(std::size_t point)>;

/// Runs the points of a plan's sweep as the search asks for them, and reads what they measured.
/// Points that are done are not run again, so that a plan that was killed goes on.
class PlanPoints {
public:
    /// All arguments must outlive it.
    PlanPoints(const PlanSpec& plan,
               const PlanChoices& choices,
               const SweepPlan& points,
               const SweepDirectory& directory,
               const RunPoint& run);

    /// For PlanSearch.
    /// Errors: std::runtime_error, of one line, if the replications cannot run; std::system_error
    ///         if a folder cannot be written.
    [[nodiscard]] std::optional<std::vector<MetricValues>> measure(std::size_t choice,
                                                                   std::size_t look);

    /// How many pods a replication of a choice has on average, in its window; the choice was tried.
    [[nodiscard]] double pods_each(std::size_t choice) const;
    /// How many replications were run by this process.
    [[nodiscard]] std::size_t replications_run() const { return replications_run_; }
    [[nodiscard]] std::filesystem::path folder(std::size_t choice, std::size_t look) const;

private:
    [[nodiscard]] std::vector<MetricValues> read(const std::filesystem::path& folder) const;

    const PlanSpec& plan_;
    const PlanChoices& choices_;
    const SweepPlan& points_;
    const SweepDirectory& directory_;
    const RunPoint& run_;
    std::size_t replications_run_ = 0;
};

/// Whether all replications of a plan's choices are equal, since nothing in the experiment is
/// random, as in one month of a trace. Two replications of different seeds are run, of the first
/// choice of each combination of values that are no numbers, and compared.
/// Cost: two replications each; none if the times of jobs are drawn, or code that a document
///       names decides.
[[nodiscard]] bool replications_are_equal(const PlanSpec& plan,
                                          unsigned threads,
                                          ProgressView* progress,
                                          sim::RunControl& control);

/// Reports requirements on metrics that the experiment does not have, with the nearest one.
void check_requirements(const PlanSpec& plan, PointExperiments& experiments);

}  // namespace berth::experiments

#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/program/plan/choices.hpp"
#include "experiments/program/plan/search.hpp"
#include "experiments/program/sweep/plan.hpp"
#include "experiments/program/sweep/run_points.hpp"
#include "experiments/program/sweep/sweep_directory.hpp"

namespace berth::experiments {

/// A part of the replications of a choice that cannot run. what() is one line.
class ChoiceFailed : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Runs the points of a plan's sweep as the search asks for them, and reads what they measured.
/// Points that are done are not run again, so that a plan that was killed goes on.
class PlanPoints {
public:
    /// All arguments must outlive it.
    PlanPoints(const PlanSpec& plan,
               const PlanChoices& choices,
               const SweepPlan& points,
               PointExperiments& experiments,
               const SweepDirectory& directory,
               unsigned threads,
               ProgressView* progress,
               sim::RunControl& control);

    /// For PlanSearch.
    /// Errors: ChoiceFailed; std::system_error if a folder cannot be written.
    [[nodiscard]] std::optional<std::vector<MetricValues>> measure(std::size_t choice,
                                                                   std::size_t look);

    /// How many replications were run by this process.
    [[nodiscard]] std::size_t replications_run() const { return replications_run_; }
    [[nodiscard]] std::filesystem::path folder(std::size_t choice, std::size_t look) const;

private:
    [[nodiscard]] std::vector<MetricValues> read(const std::filesystem::path& folder) const;

    const PlanSpec& plan_;
    const PlanChoices& choices_;
    const SweepPlan& points_;
    PointExperiments& experiments_;
    const SweepDirectory& directory_;
    unsigned threads_;
    ProgressView* progress_;
    sim::RunControl& control_;
    std::size_t replications_run_ = 0;
};

/// Reports requirements on metrics that the experiment does not have, with the nearest one.
void check_requirements(const PlanSpec& plan, PointExperiments& experiments);

}  // namespace berth::experiments

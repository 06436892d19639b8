#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>

#include "experiments/program/plan/answer.hpp"
#include "experiments/program/plan/choices.hpp"
#include "experiments/program/plan/measure.hpp"
#include "experiments/program/plan/read_plan.hpp"
#include "experiments/program/sweep/plan.hpp"
#include "experiments/program/sweep/points.hpp"
#include "experiments/program/sweep/sweep_directory.hpp"

namespace berth::experiments {

/// Reads a plan, and sees whether its replications differ. Relative names of files are relative to
/// `folder`.
/// Errors: as for read_plan().
[[nodiscard]] PlanSpec load_plan(const std::shared_ptr<const core::SourceText>& source,
                                 const std::filesystem::path& folder,
                                 PlanArguments arguments,
                                 unsigned threads,
                                 ProgressView* progress,
                                 sim::RunControl& control);

/// A plan with its directory, from its choices to its answer.
class PlanWork {
public:
    /// Errors: core::InputError for a requirement or a price of something that the experiment does
    ///         not have, and as for PlanChoices and SweepDirectory. Nothing is written. If
    ///         `control` is stopped meanwhile, look_at_points() says so.
    PlanWork(PlanSpec plan, const std::filesystem::path& place, const sim::RunControl& control);
    PlanWork(const PlanWork&) = delete;
    PlanWork& operator=(const PlanWork&) = delete;

    /// Looks at all points. Errors: as for plan_sweep().
    /// Returns: whether it was not interrupted.
    [[nodiscard]] bool look_at_points(unsigned threads,
                                      ProgressView* progress,
                                      const sim::RunControl& control);
    /// Makes the directory, without the answer of an earlier plan, which had other points.
    void make_directory() const;
    /// Searches, and writes what it found beside the points, in files whose bytes depend on nothing
    /// else; nothing is written if it was interrupted. The answer refers to this object.
    /// Errors: as for PlanPoints::measure().
    [[nodiscard]] PlanAnswer find_answer(const RunPoint& run);

    [[nodiscard]] const PlanSpec& plan() const { return plan_; }
    [[nodiscard]] const SweepDirectory& directory() const { return directory_; }
    [[nodiscard]] const SweepPoints& points() const { return points_; }
    [[nodiscard]] PointExperiments& experiments() { return experiments_; }
    /// What look_at_points() found.
    [[nodiscard]] const SweepPlan& known() const { return known_; }
    /// How many replications this object has run.
    [[nodiscard]] std::size_t replications_run() const { return replications_run_; }

private:
    PlanSpec plan_;
    SweepDirectory directory_;
    SweepPoints points_{plan_.sweep};
    PointExperiments experiments_{plan_.sweep, points_};
    PlanChoices choices_;
    SweepPlan known_;
    std::size_t replications_run_ = 0;
};

}  // namespace berth::experiments

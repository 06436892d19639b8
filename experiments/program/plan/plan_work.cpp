#include "experiments/program/plan/plan_work.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "experiments/program/plan/page.hpp"
#include "experiments/program/plan/search.hpp"
#include "experiments/program/plan/warnings.hpp"
#include "experiments/program/support/documents.hpp"
#include "experiments/program/support/whole_file.hpp"
#include "experiments/program/sweep/sweep_manifest.hpp"

namespace berth::experiments {
namespace {

namespace fs = std::filesystem;

PlanChoices checked_choices(const PlanSpec& plan,
                            const SweepPoints& points,
                            PointExperiments& experiments,
                            const sim::RunControl& control) {
    check_requirements(plan, experiments);
    return {plan, points, experiments, control};
}

std::vector<report::SweepTarget> bounds_of(const PlanSpec& plan) {
    std::vector<report::SweepTarget> out;
    for (const PlanRequirement& requirement : plan.requirements) {
        out.push_back(requirement.target);
    }
    return out;
}

}  // namespace

PlanSpec load_plan(const std::shared_ptr<const core::SourceText>& source,
                   const fs::path& folder,
                   PlanArguments arguments,
                   unsigned threads,
                   ProgressView* progress,
                   sim::RunControl& control) {
    PlanSpec plan = read_plan(source, folder, arguments);
    if (replications_are_equal(plan, threads, progress, control)) {
        arguments.replications_are_equal = true;
        plan = read_plan(source, folder, arguments);
    }
    return plan;
}

PlanWork::PlanWork(PlanSpec plan, const fs::path& place, const sim::RunControl& control)
    : plan_(std::move(plan)),
      directory_(place, plan_.sweep),
      choices_(checked_choices(plan_, points_, experiments_, control)) {}

bool PlanWork::look_at_points(unsigned threads,
                              ProgressView* progress,
                              const sim::RunControl& control) {
    known_ = plan_sweep(plan_.sweep, points_, experiments_, {}, threads, progress, control);
    return !control.stop;
}

void PlanWork::make_directory() const {
    directory_.prepare(plan_.sweep, points_, known_.keys);
    const FileLock lock = directory_.lock_files();
    fs::remove(directory_.place() / "plan.html");
    fs::remove(directory_.place() / "plan.json");
    write_file(directory_.place() / "plan.yaml", emit_yaml(plan_.document));
}

PlanAnswer PlanWork::find_answer(const RunPoint& run) {
    PlanPoints measured(plan_, choices_, known_, directory_, run);
    PlanSearch search(
        choices_,
        bounds_of(plan_),
        plan_.looks,
        plan_.replications_are_equal ? std::nullopt : std::optional(plan_.confidence),
        [&](std::size_t choice, std::size_t look) { return measured.measure(choice, look); });
    PlanAnswer answer{plan_, choices_, search.run(), {}};
    replications_run_ = measured.replications_run();
    if (answer.outcome.interrupted) {
        return answer;
    }
    add_warnings(measured, answer);
    const FileLock lock = directory_.lock_files();
    write_file(directory_.place() / "plan.json", answer_json(answer));
    write_file(directory_.place() / "plan.html", plan_page(answer));
    (void)collect_results(directory_.place());
    return answer;
}

}  // namespace berth::experiments

#include <fmt/format.h>

#include <iostream>
#include <utility>

#include "core/support/source.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/program/commands/run_options.hpp"
#include "experiments/program/plan/answer.hpp"
#include "experiments/program/plan/measure.hpp"
#include "experiments/program/plan/page.hpp"
#include "experiments/program/plan/read_plan.hpp"
#include "experiments/program/plan/warnings.hpp"
#include "experiments/program/support/documents.hpp"
#include "experiments/program/support/progress.hpp"
#include "experiments/program/support/whole_file.hpp"
#include "experiments/program/sweep/sweep_manifest.hpp"

namespace berth::experiments {
namespace {

namespace po = boost::program_options;
namespace fs = std::filesystem;

po::options_description plan_options() {
    po::options_description options("options");
    auto add = options.add_options();
    const auto many = [] { return po::value<std::vector<std::string>>()->composing(); };
    add("choose",
        many()->value_name("PATH=RANGE"),
        "what is chosen: 'levels[rack].count=4..12', or PATH=VALUE,VALUE");
    add("require",
        many()->value_name("METRIC<=BOUND"),
        "what it must keep: 'job_wait_s_p95<=10m' or 'success_rate>=95%'");
    add("confidence",
        po::value<std::string>()->value_name("SHARE"),
        "the probability with which all intervals hold (default 0.95)");
    add("replications",
        po::value<std::string>()->value_name("N"),
        "the most replications of a choice (default 100)");
    add("output,o",
        po::value<std::string>()->value_name("DIR"),
        "the plan's directory (default out/NAME, the plan's name)");
    add("json", "print the answer as JSON");
    add("quiet,q", "print the answer and warnings, and no progress");
    add_run_options(options);
    return options;
}

PlanArguments arguments_of(const po::variables_map& values) {
    PlanArguments out;
    const auto texts = [&](const char* name) {
        return values.count(name) > 0 ? values[name].as<std::vector<std::string>>()
                                      : std::vector<std::string>();
    };
    const auto text = [&](const char* name) {
        return values.count(name) > 0 ? values[name].as<std::string>() : std::string();
    };
    out.choose = texts("choose");
    out.require = texts("require");
    out.confidence = text("confidence");
    out.replications = text("replications");
    out.overrides = overrides_of(values);
    return out;
}

std::vector<PlanBound> bounds_of(const PlanSpec& plan) {
    std::vector<PlanBound> out;
    for (const PlanRequirement& requirement : plan.requirements) {
        out.push_back({requirement.target.bound, requirement.target.at_most});
    }
    return out;
}

/// Writes what the plan found beside its points, in files whose bytes depend on nothing else.
void write_results(const PlanAnswer& answer, const SweepDirectory& directory) {
    const FileLock lock = directory.lock_files();
    (void)collect_results(directory.place());
    write_file(directory.place() / "plan.yaml", emit_yaml(answer.plan.document));
    write_file(directory.place() / "plan.json", answer_json(answer));
    write_file(directory.place() / "plan.html", plan_page(answer));
}

}  // namespace

int run_plan(const std::vector<std::string>& arguments) {
    const auto values = parse_arguments("plan", arguments, plan_options(), "PLAN.yaml", 1);
    if (!values) {
        return exit_done;
    }
    const fs::path file = needed_arguments(*values, "plan", "PLAN.yaml")[0];
    const bool quiet = values->count("quiet") > 0;
    PlanSpec plan = read_plan(file, arguments_of(*values));
    plan.sweep.allow_code = allows_code(*values);
    const SweepDirectory directory(values->count("output") > 0
                                       ? fs::path((*values)["output"].as<std::string>())
                                       : default_place(file, plan.sweep.name),
                                   plan.sweep);
    const SweepPoints points(plan.sweep);
    PointExperiments experiments(plan.sweep, points);
    check_requirements(plan, experiments);
    const PlanChoices choices(plan, points, experiments);
    sim::RunControl& control = interruptible_control();
    TerminalProgress terminal;
    ProgressView* progress = quiet ? nullptr : &terminal;
    const SweepPlan known = plan_sweep(
        plan.sweep, points, experiments, TableForm{}, threads_of(*values), progress, control);
    if (control.stop) {
        std::cerr << fmt::format("{}: interrupted: nothing was run\n", plan.sweep.name);
        return exit_interrupted;
    }
    directory.prepare(plan.sweep, points, known.keys);
    PlanPoints measured(
        plan, choices, known, experiments, directory, threads_of(*values), progress, control);
    PlanSearch search(
        choices,
        bounds_of(plan),
        plan.looks,
        plan.confidence,
        [&](std::size_t choice, std::size_t look) { return measured.measure(choice, look); });
    PlanAnswer answer{plan, choices, search.run(), known.warnings};
    if (answer.outcome.interrupted) {
        std::cerr << fmt::format("{}: interrupted: the same command goes on from here\n",
                                 plan.sweep.name);
        return exit_interrupted;
    }
    add_warnings(measured, answer);
    for (const std::string& warning : answer.warnings) {
        std::cerr << warning << "\n";
    }
    write_results(answer, directory);
    std::cout << (values->count("json") > 0 ? answer_json(answer) : answer_text(answer));
    if (!quiet && values->count("json") == 0) {
        std::cout << fmt::format("{} of them were run now; the picture is {}\n",
                                 measured.replications_run(),
                                 (directory.place() / "plan.html").string());
    }
    return answer.outcome.answer ? exit_done : exit_failed;
}

}  // namespace berth::experiments

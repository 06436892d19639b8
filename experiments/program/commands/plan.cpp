#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/support/source.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/program/commands/run_options.hpp"
#include "experiments/program/plan/plan_work.hpp"
#include "experiments/program/slurm/run_on_slurm.hpp"
#include "experiments/program/support/documents.hpp"
#include "experiments/program/support/progress.hpp"
#include "experiments/program/sweep/run_points.hpp"

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
    add("slurm", "run the points as jobs of Slurm, one after the other");
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

/// Runs the points here, or by Slurm, as the command line says.
RunPoint runner_of(PlanWork& work,
                   const po::variables_map& values,
                   ProgressView* progress,
                   sim::RunControl& control) {
    if (values.count("slurm") == 0) {
        return [&work, &control, progress, threads = threads_of(values)](std::size_t point) {
            return run_points(work.plan().sweep,
                              work.known(),
                              {point},
                              work.experiments(),
                              work.directory(),
                              threads,
                              TableForm{},
                              progress,
                              control);
        };
    }
    return [&work, &control, progress](std::size_t point) {
        SlurmJob job =
            slurm_job(work.plan().sweep, work.directory(), work.points(), work.known().keys);
        job.only = point;
        const SlurmOutcome outcome = run_on_slurm(job, control, progress != nullptr);
        PointRuns runs{.done = outcome.came, .failed = {}, .interrupted = outcome.interrupted};
        if (outcome.missing > 0 && !outcome.interrupted) {
            runs.failed.push_back(
                {point, "Slurm did not bring its replications", FailedPoint::Again::yes});
        }
        return runs;
    };
}

int interrupted(const PlanSpec& plan, std::string_view what_now) {
    std::cerr << fmt::format("{}: interrupted: {}\n", plan.sweep.name, what_now);
    return exit_interrupted;
}

/// Prints the answer and what a reader must know of it.
void print_answer(const PlanAnswer& answer, bool as_json) {
    for (const std::string& warning : answer.warnings) {
        std::cerr << warning << "\n";
    }
    std::cout << (as_json ? answer_json(answer) : answer_text(answer));
}

}  // namespace

int run_plan(const std::vector<std::string>& arguments) {
    const auto values = parse_arguments("plan", arguments, plan_options(), "PLAN.yaml", 1);
    if (!values) {
        return exit_done;
    }
    const fs::path file = needed_arguments(*values, "plan", "PLAN.yaml")[0];
    const bool as_json = values->count("json") > 0;
    const bool quiet = values->count("quiet") > 0;
    sim::RunControl& control = interruptible_control();
    TerminalProgress terminal;
    ProgressView* progress = quiet ? nullptr : &terminal;
    PlanSpec plan = load_plan(read_source(file),
                              file == "-" ? fs::path() : file.parent_path(),
                              arguments_of(*values),
                              threads_of(*values),
                              progress,
                              control);
    plan.sweep.allow_code = allows_code(*values);
    const fs::path place = values->count("output") > 0
                               ? fs::path((*values)["output"].as<std::string>())
                               : default_place(file, plan.sweep.name);
    PlanWork work(std::move(plan), place, control);
    if (!work.look_at_points(threads_of(*values), progress, control)) {
        return interrupted(work.plan(), "nothing was run");
    }
    if (values->count("slurm") > 0) {
        check_slurm(
            slurm_job(work.plan().sweep, work.directory(), work.points(), work.known().keys));
    }
    work.make_directory();
    const PlanAnswer answer = work.find_answer(runner_of(work, *values, progress, control));
    if (answer.outcome.interrupted) {
        return interrupted(work.plan(), "the same command goes on from here");
    }
    print_answer(answer, as_json);
    if (!quiet && !as_json) {
        std::cout << fmt::format("{} of them were run now; the picture is {}\n",
                                 work.replications_run(),
                                 (place / "plan.html").string());
    }
    return answer.outcome.answer ? exit_done : exit_failed;
}

}  // namespace berth::experiments

#include <fmt/format.h>

#include <iostream>

#include "core/support/text.hpp"
#include "core/support/value.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/program/commands/run_options.hpp"
#include "experiments/program/config/document/fields.hpp"
#include "experiments/program/run/what_if.hpp"

namespace berth::experiments {
namespace {

namespace po = boost::program_options;

std::string amounts(const core::Quantities& list) {
    std::vector<std::string> parts;
    for (const auto& [resource, amount] : list) {
        parts.push_back(fmt::format("{}: {}", resource, core::format_quantity(resource, amount)));
    }
    return fmt::format("{{{}}}", core::join(parts, ", "));
}

MinQuestion question_of(const po::variables_map& values) {
    MinQuestion question;
    if (values.count("quota") == 0 || values.count("wait") == 0) {
        throw core::InputError(
            "berth what-if: error: no question: expected --quota NAME and --wait DURATION");
    }
    question.quota = values["quota"].as<std::string>();
    core::Diagnostics diagnostics;
    question.wait =
        read_duration(option_value("--wait", values["wait"].as<std::string>()), diagnostics)
            .value_or(sim::SimTime(0));
    if (values.count("quantile") > 0) {
        const auto text = values["quantile"].as<std::string>();
        question.quantile =
            read_number(option_value("--quantile", text), diagnostics, 0, 1).value_or(1);
    }
    diagnostics.throw_if_failed();
    return question;
}

void print(const MinAnswer& answer, const MinQuestion& question) {
    for (const MinTrial& trial : answer.trials) {
        const std::string share =
            trial.share < 0 ? "as it is" : fmt::format("{}/64 of max", trial.share);
        std::cout << fmt::format(
            "  {:<13} min {}: {}\n",
            share,
            amounts(trial.min),
            trial.wait ? fmt::format("wait {} s", sim::format_seconds(*trial.wait)) : "no jobs");
    }
    if (!answer.most_allowed.empty()) {
        std::cout << fmt::format("  a larger min is not allowed: {}\n", answer.most_allowed);
    }
    if (!answer.least) {
        std::cout << fmt::format("no min of {} is enough\n", question.quota);
        return;
    }
    std::cout << fmt::format("{} needs min {}\n", question.quota, amounts(answer.least->min));
    for (const std::string& raised : answer.least->raised) {
        std::cout << fmt::format("  and {} a min of at least its children's sum\n", raised);
    }
    for (const std::string& sentence : answer.too_much) {
        std::cout << fmt::format("  but {}\n", sentence);
    }
}

}  // namespace

int run_what_if(const std::vector<std::string>& arguments) {
    po::options_description options("options");
    auto add = options.add_options();
    add("quota", po::value<std::string>()->value_name("NAME"), "the quota that is asked about");
    add("wait",
        po::value<std::string>()->value_name("DURATION"),
        "how long its jobs may wait: 10m");
    add("quantile",
        po::value<std::string>()->value_name("Q"),
        "the part of its jobs that this must hold for (default 1: all)");
    add_run_options(options);
    const auto values = parse_arguments("what-if", arguments, options, "EXPERIMENT.yaml", 1);
    if (!values) {
        return exit_done;
    }
    const std::string file = needed_arguments(*values, "what-if", "EXPERIMENT.yaml")[0];
    const MinQuestion question = question_of(*values);
    const ExperimentSpec spec = load_experiment(file, *values).spec;
    sim::RunControl& control = interruptible_control();
    const MinAnswer answer = find_least_min(spec, question, threads_of(*values), control);
    if (control.stop) {
        std::cerr << fmt::format("{}: interrupted: no answer\n", spec.name);
        return exit_interrupted;
    }
    std::cout << fmt::format(
        "{}: how much min must {} have so that {} of its jobs wait at most "
        "{} s, over {} replication{}?\n",
        spec.name,
        question.quota,
        question.quantile == 1 ? "all" : fmt::format("{} %", question.quantile * 100),
        sim::format_seconds(question.wait),
        spec.replications,
        spec.replications == 1 ? "" : "s");
    print(answer, question);
    return exit_done;
}

}  // namespace berth::experiments

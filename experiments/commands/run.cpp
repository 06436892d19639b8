#include <fmt/format.h>

#include <csignal>
#include <iostream>
#include <thread>

#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "experiments/commands/command.hpp"
#include "experiments/config/read_experiment.hpp"
#include "experiments/config/resolve.hpp"
#include "experiments/run/run_experiment.hpp"

namespace berth::experiments {
namespace {

namespace po = boost::program_options;

sim::RunControl control;

extern "C" void stop_run(int /*signal*/) {
    control.stop = true;
}

unsigned default_threads() {
    return std::max(1U, std::thread::hardware_concurrency());
}

unsigned threads_of(const po::variables_map& values) {
    if (values.count("threads") == 0) {
        return default_threads();
    }
    auto source = std::make_shared<core::SourceText>();
    source->name = "berth run";
    core::Value value;
    value.kind = core::Value::Kind::scalar;
    value.text = values["threads"].as<std::string>();
    value.span = {source, 0, 0, 0};
    core::Diagnostics diagnostics;
    const auto threads = core::read_integer(value, diagnostics, 1, 4096);
    diagnostics.throw_if_failed();
    return static_cast<unsigned>(*threads);
}

std::vector<Override> overrides_of(const po::variables_map& values) {
    std::vector<Override> overrides;
    if (values.count("seed") > 0) {
        overrides.push_back(parse_override("spec.seed=" + values["seed"].as<std::string>()));
    }
    if (values.count("set") > 0) {
        for (const std::string& option : values["set"].as<std::vector<std::string>>()) {
            overrides.push_back(parse_override(option));
        }
    }
    return overrides;
}

void print_report(const ExperimentSpec& spec,
                  const RunReport& report,
                  const std::filesystem::path& directory) {
    std::cout << fmt::format("{}: {} replication{}, {} events in {:.2f} s\n",
                             spec.name,
                             spec.replications,
                             spec.replications == 1 ? "" : "s",
                             report.events,
                             report.wall_s);
    for (const ClaimResult& claim : report.claims) {
        std::cout << fmt::format("  {:<5} {}: expected {}, measured {}\n",
                                 claim.holds ? "holds" : "FAILS",
                                 claim.text,
                                 claim.expected,
                                 claim.measured);
    }
    std::cout << fmt::format("  results in {}\n", directory.string());
}

}  // namespace

int run_run(const std::vector<std::string>& arguments) {
    po::options_description options("options");
    auto add = options.add_options();
    add("output,o",
        po::value<std::string>()->value_name("DIR"),
        "the run directory (default out/NAME, the experiment's name)");
    add("threads,j",
        po::value<std::string>()->value_name("N"),
        "replications at a time (default: one a processor)");
    add("seed", po::value<std::string>()->value_name("N"), "instead of spec.seed");
    add("set",
        po::value<std::vector<std::string>>()->composing()->value_name("PATH=VALUE"),
        "change the experiment: spec.workload[0].background.load=0.5");
    add("quiet,q", "print nothing but errors");
    const auto values = parse_arguments("run", arguments, options, "EXPERIMENT.yaml", 1);
    if (!values) {
        return exit_done;
    }
    const std::string file = positional_arguments(*values, "run", "EXPERIMENT.yaml", 1)[0];
    const bool quiet = values->count("quiet") > 0;
    const ResolvedExperiment resolved = resolve_experiment(file, overrides_of(*values));
    core::Diagnostics diagnostics;
    const auto spec = read_experiment(resolved.document, diagnostics);
    diagnostics.throw_if_failed();
    for (const std::string& warning : diagnostics.warnings()) {
        std::cerr << warning << "\n";
    }
    if (values->count("output") == 0 &&
        (spec->name.empty() || spec->name.find('/') != std::string::npos)) {
        throw core::InputError(fmt::format(
            "{}: error: metadata.name '{}' is no name of a folder: expected one without '/', or -o",
            file,
            spec->name));
    }
    RunOptions run_options;
    run_options.directory = values->count("output") > 0
                                ? std::filesystem::path((*values)["output"].as<std::string>())
                                : std::filesystem::path("out") / spec->name;
    run_options.threads = threads_of(*values);
    run_options.progress = !quiet;
    std::signal(SIGINT, &stop_run);
    std::signal(SIGTERM, &stop_run);
    const RunReport report = run_experiment(*spec, resolved.document, run_options, control);
    if (report.interrupted) {
        std::cerr << fmt::format("{}: interrupted: nothing was written\n", spec->name);
        return exit_interrupted;
    }
    if (!quiet) {
        print_report(*spec, report, run_options.directory);
    }
    return exit_done;
}

}  // namespace berth::experiments

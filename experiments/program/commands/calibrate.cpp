#include <fmt/format.h>

#include <filesystem>
#include <iostream>

#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "experiments/program/calibrate/calibration.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/program/commands/output.hpp"
#include "experiments/program/commands/run_options.hpp"
#include "experiments/program/run/warnings.hpp"
#include "experiments/program/support/parsed_json.hpp"
#include "experiments/program/support/progress.hpp"
#include "experiments/program/support/whole_file.hpp"

namespace berth::experiments {
namespace {

namespace po = boost::program_options;

constexpr std::int64_t explained_max = 1000;

std::size_t explained_of(const po::variables_map& values) {
    if (values.count("explain") == 0) {
        return 10;
    }
    core::Diagnostics diagnostics;
    const auto number =
        core::read_integer(option_value("--explain", values["explain"].as<std::string>()),
                           diagnostics,
                           0,
                           explained_max);
    diagnostics.throw_if_failed();
    return static_cast<std::size_t>(*number);
}

std::string content_of(const std::filesystem::path& output,
                       const ExperimentSpec& spec,
                       const Calibration& result) {
    const std::string ending = output.extension().string();
    return ending == ".html"  ? calibration_page(spec, result)
           : ending == ".svg" ? calibration_picture(spec, result)
           : ending == ".csv" ? calibration_csv(result)
                              : dumped(calibration_json(spec, result), 2) + "\n";
}

}  // namespace

int run_calibrate(const std::vector<std::string>& arguments) {
    po::options_description options("options");
    auto add = options.add_options();
    add("output,o",
        po::value<std::string>()->value_name("FILE"),
        "write a page (.html), a picture of waits and use (.svg), a row for each job (.csv), or "
        "everything (.json)");
    add("explain",
        po::value<std::string>()->value_name("N"),
        "of how many of the jobs that differ most to tell why they waited (default 10)");
    add("json", "for programs: docs/reference/calibrate.md");
    add_run_options(options);
    const auto values = parse_arguments("calibrate", arguments, options, "EXPERIMENT.yaml", 1);
    if (!values) {
        return exit_done;
    }
    const std::string file = needed_arguments(*values, "calibrate", "EXPERIMENT.yaml")[0];
    const bool writes = values->count("output") > 0;
    const std::filesystem::path output = writes ? (*values)["output"].as<std::string>() : "";
    if (writes) {
        check_output(output,
                     {{".html", "a page"},
                      {".svg", "a picture"},
                      {".csv", "a row for each job"},
                      {".json", "all of it"}});
    }
    const std::size_t explained = explained_of(*values);
    const ExperimentSpec spec = load_experiment(file, *values).spec;
    for (const std::string& warning : experiment_warnings(spec)) {
        std::cerr << fmt::format("{}: warning: {}\n", spec.name, warning);
    }
    sim::RunControl& control = interruptible_control();
    TerminalProgress terminal;
    std::optional<Progress> progress(std::in_place, &terminal, [&] {
        return HowFar{fmt::format("{}: {} events", spec.name, control.events.load()), 0, 0};
    });
    const Calibration result = calibrate(file, spec, explained, threads_of(*values), control);
    progress.reset();
    if (control.stop) {
        std::cerr << fmt::format("{}: interrupted: no answer\n", spec.name);
        return exit_interrupted;
    }
    if (writes) {
        write_file(output, content_of(output, spec, result));
    }
    std::cout << (values->count("json") > 0 ? dumped(calibration_json(spec, result), 2) + "\n"
                                            : calibration_text(spec, result));
    return exit_done;
}

}  // namespace berth::experiments

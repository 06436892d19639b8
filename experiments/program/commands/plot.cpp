#include "experiments/program/plot/plot.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <optional>

#include "core/support/source.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/program/commands/whole_run.hpp"
#include "experiments/program/plot/sweep_plot.hpp"

namespace berth::experiments {

namespace po = boost::program_options;

namespace {

report::SweepOptions sweep_options(const po::variables_map& values) {
    report::SweepOptions options;
    const auto text = [&](const char* name) {
        return values.count(name) > 0 ? std::optional(values[name].as<std::string>())
                                      : std::nullopt;
    };
    options.metric = text("metric");
    options.x = text("x");
    options.by = text("by");
    options.panel = text("panel");
    if (values.count("where") > 0) {
        options.where = values["where"].as<std::vector<std::string>>();
    }
    return options;
}

}  // namespace

int run_plot(const std::vector<std::string>& arguments) {
    po::options_description options("options");
    auto add = options.add_options();
    add("figure,f", po::value<std::string>()->value_name("NAME"), "which figure");
    add("output,o",
        po::value<std::string>()->value_name("FILE"),
        "an .svg, .pdf or .png file, or .csv: the data");
    add("metric", po::value<std::string>()->value_name("NAME"), "of a sweep: which metric");
    add("x", po::value<std::string>()->value_name("AXIS"), "for a sweep: the horizontal axis");
    add("by",
        po::value<std::string>()->value_name("AXIS"),
        "of a sweep: one line a value, or none");
    add("panel", po::value<std::string>()->value_name("AXIS"), "of a sweep: one panel a value");
    add("where",
        po::value<std::vector<std::string>>()->value_name("AXIS=VALUE"),
        "of a sweep: these points only, not the average over the axis (repeatable)");
    add("list", "list the figures");
    const auto values = parse_arguments("plot", arguments, options, "RUN", -1);
    if (!values) {
        return exit_done;
    }
    if (values->count("list") > 0) {
        for (const auto& figures : {report::figures(), report::sweep_figures()}) {
            for (const report::Figure& figure : figures) {
                std::cout << fmt::format("{:<20} {}\n", figure.name, figure.summary);
            }
        }
        return exit_done;
    }
    const std::vector<std::string> names = needed_arguments(*values, "plot", "RUN");
    for (const char* option : {"figure", "output"}) {
        if (values->count(option) == 0) {
            throw core::InputError(fmt::format(
                "berth plot: error: no --{}: expected one (berth plot --list)", option));
        }
    }
    const report::SweepOptions choice = sweep_options(*values);
    const std::string output = (*values)["output"].as<std::string>();
    const std::string figure = (*values)["figure"].as<std::string>();
    if (report::is_sweep_directory(names.front())) {
        if (names.size() > 1) {
            throw core::InputError(fmt::format(
                "{}: error: a figure is of one sweep: expected no other directory", names[1]));
        }
        report::write_sweep_plot(find_whole_folder(names.front()), figure, choice, output);
    } else {
        for (const char* option : {"metric", "x", "by", "panel", "where"}) {
            if (values->count(option) > 0) {
                throw core::InputError(
                    fmt::format("{}: error: --{} is for sweeps: expected a sweep's directory",
                                names.front(),
                                option));
            }
        }
        std::vector<std::filesystem::path> runs;
        for (const std::string& name : names) {
            runs.push_back(find_whole_run(name).directory);
        }
        report::write_plot(runs, figure, output);
    }
    std::cout << fmt::format("wrote {}\n", output);
    return exit_done;
}

}  // namespace berth::experiments

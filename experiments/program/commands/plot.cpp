#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <optional>

#include "core/support/file_kind.hpp"
#include "core/support/source.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/program/commands/output.hpp"
#include "experiments/program/commands/whole_run.hpp"
#include "experiments/program/plot/bench_plot.hpp"
#include "experiments/program/plot/plot.hpp"
#include "experiments/program/plot/sweep_plot.hpp"
#include "experiments/program/support/documents.hpp"

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

void list_figures() {
    for (const auto& figures :
         {report::figures(), report::sweep_figures(), report::bench_figures()}) {
        for (const report::Figure& figure : figures) {
            std::cout << fmt::format("{:<20} {}\n", figure.name, figure.summary);
        }
    }
}

void draw_sweep(const std::vector<std::string>& names,
                const po::variables_map& values,
                const std::string& figure,
                const std::string& output) {
    const report::SweepOptions choice = sweep_options(values);
    if (names.size() > 1) {
        throw core::InputError(fmt::format(
            "{}: error: a figure is of one sweep: expected no other directory", names[1]));
    }
    report::write_sweep_plot(find_whole_folder(names.front()), figure, choice, output);
}

void refuse_sweep_options(const std::string& name, const po::variables_map& values) {
    for (const char* option : {"metric", "x", "by", "panel", "where"}) {
        if (values.count(option) > 0) {
            throw core::InputError(fmt::format(
                "{}: error: --{} is for sweeps: expected a sweep's directory", name, option));
        }
    }
}

void draw_bench(const std::vector<std::string>& names,
                const std::string& figure,
                const std::string& output) {
    std::vector<core::SourceText> files;
    for (const std::string& name : names) {
        if (core::is_folder(name)) {
            throw core::InputError(
                fmt::format("{}: error: this is a folder: expected a file of 'berth bench --json', "
                            "or '-' for standard input",
                            name));
        }
        files.push_back(*read_source(name));
    }
    report::write_bench_plot(files, figure, output);
}

void draw_runs(const std::vector<std::string>& names,
               const std::string& figure,
               const std::string& output) {
    std::vector<std::filesystem::path> runs;
    for (const std::string& name : names) {
        if (name == "-" || core::is_file(name)) {
            throw core::InputError(
                fmt::format("{}: error: --figure {} is of runs: expected a run directory (of a "
                            "file of 'berth bench --json' there is --figure {})",
                            name,
                            figure,
                            report::bench_figures().front().name));
        }
        runs.push_back(find_whole_run(name).directory);
    }
    report::write_plot(runs, figure, output);
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
        list_figures();
        return exit_done;
    }
    const std::vector<std::string> names = needed_arguments(*values, "plot", "RUN");
    for (const char* option : {"figure", "output"}) {
        if (values->count(option) == 0) {
            throw core::InputError(fmt::format(
                "berth plot: error: no --{}: expected one (berth plot --list)", option));
        }
    }
    const std::string output = (*values)["output"].as<std::string>();
    check_is_no_result(output);
    const std::string figure = (*values)["figure"].as<std::string>();
    if (report::is_bench_figure(figure)) {
        refuse_sweep_options(names.front(), *values);
        draw_bench(names, figure, output);
    } else if (report::is_sweep_directory(names.front())) {
        draw_sweep(names, *values, figure, output);
    } else {
        refuse_sweep_options(names.front(), *values);
        draw_runs(names, figure, output);
    }
    std::cout << fmt::format("wrote {}\n", output);
    return exit_done;
}

}  // namespace berth::experiments

#include <fmt/format.h>

#include <iostream>
#include <numeric>
#include <sstream>

#include "core/support/source.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/program/commands/output.hpp"
#include "experiments/program/commands/run_options.hpp"
#include "experiments/program/commands/whole_run.hpp"
#include "experiments/program/compare/compare_json.hpp"
#include "experiments/program/compare/compare_page.hpp"
#include "experiments/program/compare/compare_text.hpp"
#include "experiments/program/report/report.hpp"
#include "experiments/program/support/parsed_json.hpp"
#include "experiments/program/support/whole_file.hpp"

namespace berth::experiments {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

CompareOptions options_of(const po::variables_map& values, bool html) {
    CompareOptions options;
    if (values.count("metric") > 0) {
        options.metrics = values["metric"].as<std::vector<std::string>>();
    }
    if (values.count("pods") > 0) {
        constexpr std::int64_t most = 100'000;
        core::Diagnostics diagnostics;
        const core::Value value = option_value("--pods", values["pods"].as<std::string>());
        options.fates_max =
            static_cast<std::size_t>(core::read_integer(value, diagnostics, 0, most).value_or(0));
        diagnostics.throw_if_failed();
    }
    if (html && values.count("pods") == 0) {
        options.fates_max = page_fates_max;
    }
    // With many points, the fate of each pod is shown only on request.
    options.fates = values.count("against") == 0 || values.count("pods") > 0;
    return options;
}

std::vector<RunArgument> runs_of(const std::vector<std::string>& names,
                                 const po::variables_map& values) {
    if (values.count("against") > 0) {
        if (names.size() != 1) {
            throw core::InputError(fmt::format(
                "berth compare: error: --against with {} RUNs: expected one sweep's folder",
                names.size()));
        }
        return points_against(names.front(), values["against"].as<std::string>());
    }
    if (names.size() < 2) {
        throw core::InputError(fmt::format("berth compare: error: {} RUN: expected two or more{}",
                                           names.empty() ? "no" : "one",
                                           as_in_example("compare")));
    }
    std::vector<RunArgument> runs;
    for (const std::string& name : names) {
        runs.push_back(find_whole_run(name));
    }
    return runs;
}

/// The form of the output, from the name of the file.
enum class Form : std::uint8_t { text, csv, json, html };

Form form_of(const fs::path& output) {
    check_file_name(output);
    const std::string extension = output.extension().string();
    if (extension == ".txt" || output == "-") {
        return Form::text;
    }
    if (extension == ".csv") {
        return Form::csv;
    }
    if (extension == ".json") {
        return Form::json;
    }
    if (extension != ".html") {
        throw core::InputError(
            fmt::format("{}: error: unknown file ending: expected .csv, .json, .html or .txt",
                        output.string()));
    }
    return Form::html;
}

std::string page_of(const std::vector<RunArgument>& runs, const Comparison& comparison) {
    std::vector<fs::path> directories;
    for (const RunArgument& run : runs) {
        directories.push_back(run.directory);
    }
    std::vector<std::size_t> places(comparison.runs.size());
    std::iota(places.begin(), places.end(), std::size_t{1});
    std::ostringstream page;
    report::write_report(directories, page, {.comparison = comparison_page(comparison, places)});
    return page.str();
}

std::string text_of(const nlohmann::ordered_json& json) {
    // Names come from files, which may not be valid UTF-8.
    return dumped(json, 2) + "\n";
}

void write(const fs::path& output,
           const std::vector<RunArgument>& runs,
           const Comparison& comparison,
           const po::variables_map& values) {
    check_is_no_result(output);
    // A user who names a metric wants its interval even if no difference is shown.
    const bool every_metric = values.count("all") > 0 || values.count("metric") > 0;
    switch (form_of(output)) {
        case Form::text:
            write_file(output,
                       values.count("against") > 0 ? points_text(comparison, every_metric)
                                                   : comparison_text(comparison, every_metric));
            break;
        case Form::csv:
            write_file(output, comparison_csv(comparison));
            break;
        case Form::json:
            write_file(output, text_of(comparison_json(comparison)));
            break;
        case Form::html:
            write_file(output, page_of(runs, comparison));
            break;
    }
}

}  // namespace

int run_compare(const std::vector<std::string>& arguments) {
    po::options_description options("options");
    auto add = options.add_options();
    add("output,o",
        po::value<std::string>()->value_name("FILE"),
        "write FILE.csv, FILE.json, FILE.txt, or FILE.html, a report with this comparison");
    add("metric,m",
        po::value<std::vector<std::string>>()->composing()->value_name("NAME"),
        "show this metric alone, or these, with the verdicts that they have among all");
    add("pods",
        po::value<std::string>()->value_name("N"),
        "how many pods and groups to name whose fate changed most (default 10; on a page 5000)");
    add("against",
        po::value<std::string>()->value_name("AXIS=VALUE,..."),
        "of one sweep: compare every other point with this one");
    add("all", "show every metric, also those without a difference");
    const auto values = parse_arguments("compare", arguments, options, "RUN", -1);
    if (!values) {
        return exit_done;
    }
    const std::vector<std::string> names = positional_arguments(*values, "RUN");
    const fs::path output =
        values->count("output") > 0 ? (*values)["output"].as<std::string>() : "-";
    const bool html = form_of(output) == Form::html;
    const std::vector<RunArgument> runs = runs_of(names, *values);
    const Comparison comparison = compare_runs(runs, options_of(*values, html));
    check_comparable(comparison);
    for (const RunComparison& run : comparison.runs) {
        const std::string warning = warning_of(run.inputs);
        if (!warning.empty() && form_of(output) != Form::text) {
            std::cerr << fmt::format("{}: warning: {}\n", run.label, warning);
        }
    }
    write(output, runs, comparison, *values);
    return exit_done;
}

}  // namespace berth::experiments

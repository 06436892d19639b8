#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <sstream>

#include "core/support/source.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/program/commands/whole_run.hpp"
#include "experiments/program/compare/compare_page.hpp"
#include "experiments/program/compare/runs_of_page.hpp"
#include "experiments/program/report/report.hpp"
#include "experiments/program/results/sweep_directory.hpp"
#include "experiments/program/support/whole_file.hpp"

namespace berth::experiments {

namespace po = boost::program_options;

namespace {

/// Errors: core::InputError for a name that promises another format than a page.
void check_output(const std::filesystem::path& output) {
    const std::string ending = output.extension().string();
    if (output != "-" && ending != ".html" && ending != ".htm") {
        throw core::InputError(fmt::format(
            "{}: error: a report is a page in HTML: expected a name that ends in .html; berth plot "
            "DIR --figure NAME -o FILE draws one figure as .svg, .pdf or .png",
            output.string()));
    }
}

}  // namespace

int run_report(const std::vector<std::string>& arguments) {
    po::options_description options("options");
    auto add = options.add_options();
    add("output,o",
        po::value<std::string>()->value_name("FILE"),
        "the page (default: report.html in the first directory)");
    add("title",
        po::value<std::string>()->value_name("TEXT"),
        "what the page is about: stands below the claims or the list of several runs");
    const auto values = parse_arguments("report", arguments, options, "RUN", -1);
    if (!values) {
        return exit_done;
    }
    const std::vector<std::string> names = needed_arguments(*values, "report", "RUN");
    if (values->count("output") > 0) {
        check_output((*values)["output"].as<std::string>());
    }
    std::vector<std::filesystem::path> directories;
    for (const std::string& name : names) {
        directories.push_back(find_whole_folder(name));
    }
    const std::filesystem::path output =
        values->count("output") > 0 ? std::filesystem::path((*values)["output"].as<std::string>())
                                    : directories.front() / "report.html";
    RunsOfPage runs;
    if (std::ranges::none_of(directories, report::is_sweep_directory)) {
        runs = look_at_runs(directories);
    }
    for (const std::string& note : runs.notes) {
        std::cerr << note << "\n";
    }
    report::PageOptions how{.index = !runs.same_question};
    if (values->count("title") > 0) {
        how.title = (*values)["title"].as<std::string>();
    }
    if (directories.size() == 2 && runs.same_question && runs.claims == 0) {
        how.comparison = comparison_of_two(directories.front(), directories.back());
    }
    std::ostringstream page;
    report::write_report(directories, page, how);
    write_file(output, page.str());
    if (output != "-") {
        std::cout << claims_text(runs)
                  << fmt::format("wrote {}: open it in a browser\n", output.string());
    }
    return exit_done;
}

}  // namespace berth::experiments

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
#include "experiments/program/results/sweep_target.hpp"
#include "experiments/program/support/whole_file.hpp"

namespace berth::experiments {

namespace po = boost::program_options;

namespace {

/// Errors: core::InputError for a name with the ending of another format.
void check_output(const std::filesystem::path& output) {
    check_file_name(output);
    const std::string ending = output.extension().string();
    if (output != "-" && ending != ".html" && ending != ".htm") {
        throw core::InputError(fmt::format(
            "{}: error: a report is a page in HTML: expected a name that ends in .html; berth plot "
            "DIR --figure NAME -o FILE draws one figure as .svg, .pdf or .png",
            output.string()));
    }
}

/// Prints what the points of a sweep say about a target, before a page is written.
/// Errors: core::InputError for an invalid target, and for anything but one sweep.
void tell_target(const std::vector<std::filesystem::path>& directories, const std::string& target) {
    if (directories.size() != 1 || !report::is_sweep_directory(directories.front())) {
        throw core::InputError(fmt::format(
            "{}: error: --target is for a sweep: expected one sweep's directory (of a run, "
            "spec.expect says what is expected)",
            directories.front().string()));
    }
    bool met = false;
    const std::string text =
        report::target_text(report::read_sweep_directory(directories.front()), target, met);
    (met ? std::cout : std::cerr) << (met ? "" : "--target: warning: ") << text << "\n";
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
    add("target",
        po::value<std::string>()->value_name("METRIC<=VALUE"),
        "of a sweep: say which points meet this, such as 'job_wait_s_p95<=10m' or "
        "'success_rate>=95%'");
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
    report::PageOptions how;
    if (values->count("target") > 0) {
        how.target = (*values)["target"].as<std::string>();
        tell_target(directories, how.target);
    }
    RunsOfPage runs;
    if (std::ranges::none_of(directories, report::is_sweep_directory)) {
        runs = look_at_runs(directories);
    }
    for (const std::string& note : runs.notes) {
        std::cerr << note << "\n";
    }
    how.index = !runs.same_question;
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

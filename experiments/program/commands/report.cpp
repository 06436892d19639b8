#include <fmt/format.h>

#include <iostream>
#include <sstream>

#include "core/support/source.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/program/commands/whole_run.hpp"
#include "experiments/program/compare/compare_page.hpp"
#include "experiments/program/report/report.hpp"
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
    std::ostringstream page;
    report::write_report(directories, page, comparison_of_runs(directories));
    write_file(output, page.str());
    if (output != "-") {
        std::cout << fmt::format("wrote {}: open it in a browser\n", output.string());
    }
    return exit_done;
}

}  // namespace berth::experiments

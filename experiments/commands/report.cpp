#include <sstream>

#include "experiments/commands/command.hpp"
#include "experiments/compare/compare_page.hpp"
#include "experiments/report/report.hpp"
#include "experiments/run/run_directory.hpp"

namespace berth::experiments {

namespace po = boost::program_options;

int run_report(const std::vector<std::string>& arguments) {
    po::options_description options("options");
    auto add = options.add_options();
    add("output,o",
        po::value<std::string>()->value_name("FILE"),
        "the page (default: report.html in the first directory)");
    const auto values = parse_arguments("report", arguments, options, "DIR", -1);
    if (!values) {
        return exit_done;
    }
    const std::vector<std::string> names = positional_arguments(*values, "report", "DIR", 1);
    const std::vector<std::filesystem::path> directories(names.begin(), names.end());
    std::ostringstream page;
    report::write_report(directories, page, comparison_of_runs(directories));
    write_file(values->count("output") > 0
                   ? std::filesystem::path((*values)["output"].as<std::string>())
                   : directories.front() / "report.html",
               page.str());
    return exit_done;
}

}  // namespace berth::experiments

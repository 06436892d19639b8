#include "experiments/plot/plot.hpp"

#include <fmt/format.h>

#include <iostream>

#include "core/support/source.hpp"
#include "experiments/commands/command.hpp"

namespace berth::experiments {

namespace po = boost::program_options;

int run_plot(const std::vector<std::string>& arguments) {
    po::options_description options("options");
    auto add = options.add_options();
    add("figure,f", po::value<std::string>()->value_name("NAME"), "which figure");
    add("output,o", po::value<std::string>()->value_name("FILE"), "an .svg, .pdf or .png file, or .csv: the data");
    add("list", "list the figures");
    const auto values = parse_arguments("plot", arguments, options, "DIR", -1);
    if (!values) {
        return exit_done;
    }
    if (values->count("list") > 0) {
        for (const report::Figure& figure : report::figures()) {
            std::cout << fmt::format("{:<14} {}\n", figure.name, figure.summary);
        }
        return exit_done;
    }
    const std::vector<std::string> names = positional_arguments(*values, "plot", "DIR", 1);
    for (const char* option : {"figure", "output"}) {
        if (values->count(option) == 0) {
            throw core::InputError(fmt::format(
                "berth plot: error: no --{}: expected one (berth plot --list)", option));
        }
    }
    report::write_plot({names.begin(), names.end()},
                       (*values)["figure"].as<std::string>(),
                       (*values)["output"].as<std::string>());
    return exit_done;
}

}  // namespace berth::experiments

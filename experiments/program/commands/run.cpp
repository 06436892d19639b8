#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "core/support/source.hpp"
#include "experiments/program/commands/command.hpp"
#include "experiments/program/commands/run_options.hpp"
#include "experiments/program/results/headline.hpp"
#include "experiments/program/run/run_directory.hpp"
#include "experiments/program/run/run_experiment.hpp"
#include "experiments/program/support/progress.hpp"

namespace berth::experiments {
namespace {

namespace po = boost::program_options;

/// Prints the numbers at the top of the run's page.
void print_headline(const std::filesystem::path& directory) {
    const auto numbers = report::headline(report::read_metrics(directory));
    std::size_t width = 0;
    bool has_interval = false;
    for (const report::HeadlineNumber& number : numbers) {
        width = std::max(width, number.label.size());
        has_interval = has_interval || !number.interval.empty();
    }
    for (const report::HeadlineNumber& number : numbers) {
        std::cout << fmt::format(
            "  {:<{}}  {}\n", number.label, width, report::with_interval(number));
    }
    if (has_interval) {
        std::cout << "  (±: half-width of the 95 % confidence interval)\n";
    } else if (!numbers.empty()) {
        std::cout << "  (no intervals: they need several replications that differ, such as "
                     "spec.replications: 20)\n";
    }
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
    if (!report.window.empty()) {
        std::cout << fmt::format("  the metrics cover {}\n", report.window);
    }
    print_headline(directory);
    for (const report::ClaimResult& claim : report.claims) {
        std::cout << fmt::format("  {:<5} {}: expected {}, measured {}\n",
                                 claim.holds ? "holds" : "FAILS",
                                 claim.text,
                                 claim.expected,
                                 claim.measured);
    }
    for (const report::ClaimResult& expectation : report.expectations) {
        if (expectation.holds) {
            std::cout << fmt::format("  as expected {}: expected {}, measured {}\n",
                                     expectation.text,
                                     expectation.expected,
                                     expectation.measured);
        }
    }
    const bool any_by_interval = std::ranges::any_of(spec.expectations, &Claim::by_interval);
    if (any_by_interval && spec.replications == 1) {
        std::cout
            << "  (expected values are held against the measured ones: one replication has no "
               "interval)\n";
    }
    std::cout << fmt::format("  results in {0}; berth report {0} makes a page of them\n",
                             directory.string());
}

/// The exit status. Prints which expectations were missed, if any.
int exit_status(const RunReport& report) {
    int status = exit_done;
    for (const report::ClaimResult& expectation : report.expectations) {
        if (!expectation.holds) {
            std::cerr << fmt::format("{}: expected {}, measured {}\n",
                                     expectation.text,
                                     expectation.expected,
                                     expectation.measured);
            status = exit_failed;
        }
    }
    return status;
}

}  // namespace

int run_run(const std::vector<std::string>& arguments) {
    po::options_description options("options");
    auto add = options.add_options();
    add("output,o",
        po::value<std::string>()->value_name("DIR"),
        "the run directory (default out/NAME, the experiment's name)");
    add_run_options(options);
    add_table_options(options);
    add_invariants_option(options);
    add("quiet,q", "print nothing but errors");
    const auto values = parse_arguments("run", arguments, options, "EXPERIMENT.yaml", 1);
    if (!values) {
        return exit_done;
    }
    const std::string file = needed_arguments(*values, "run", "EXPERIMENT.yaml")[0];
    const bool quiet = values->count("quiet") > 0;
    const LoadedExperiment loaded = load_experiment(file, *values);
    const ExperimentSpec& spec = loaded.spec;
    const std::filesystem::path place =
        values->count("output") > 0 ? std::filesystem::path((*values)["output"].as<std::string>())
                                    : default_place(file, spec.name);
    sim::RunControl& control = interruptible_control();
    heed_invariants_option(*values, control);
    const TableForm tables = tables_of(*values);
    RunDirectory directory(place);
    RunOptions run_options;
    run_options.threads = threads_of(*values);
    run_options.tables = tables;
    TerminalProgress terminal;
    run_options.progress = quiet ? nullptr : &terminal;
    run_options.warn = [&](const std::string& warning) {
        std::cerr << fmt::format("{}: warning: {}\n", spec.name, warning);
    };
    const RunReport report =
        run_experiment(spec, loaded.resolved.document, directory, run_options, control);
    if (report.interrupted) {
        std::cerr << fmt::format("{}: interrupted: nothing was written\n", spec.name);
        return exit_interrupted;
    }
    if (!quiet) {
        print_report(spec, report, place);
        if (const std::string checked = invariants_text(control); !checked.empty()) {
            std::cerr << fmt::format("{}: {}\n", spec.name, checked);
        }
    }
    return exit_status(report);
}

}  // namespace berth::experiments

/// Readers of the folders of runs and sweeps. An input is the files of a folder.

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "experiments/program/commands/export.hpp"
#include "experiments/program/compare/compare_page.hpp"
#include "experiments/program/compare/compare_runs.hpp"
#include "experiments/program/plot/plot.hpp"
#include "experiments/program/plot/sweep_plot.hpp"
#include "experiments/program/report/report.hpp"
#include "experiments/program/sweep/results_csv.hpp"
#include "experiments/program/sweep/results_sqlite.hpp"
#include "experiments/program/verify/check_results.hpp"
#include "experiments/program/verify/verify_run.hpp"
#include "fuzz/target.hpp"

namespace berth::tests {
namespace {

/// A run that takes almost no time, so that an input's run is recomputed from a known experiment.
constexpr std::string_view small_experiment = R"(apiVersion: berth/v1
kind: Experiment
metadata: {name: small}
spec:
  topology:
    spec:
      levels: [{name: server, count: 2}]
      machines: [{type: node}]
      machineTypes: {node: {capacity: {cpu: 2}}}
  types: {one: {cpu: 1}}
  workload: [{pods: [{name: a, type: one, count: 5, lifetime: 1s}]}]
)";

/// One of many choices, selected by the input, since drawing all figures would take long.
template <class Choices>
auto one_of(const Choices& choices, std::string_view bytes) {
    std::size_t sum = 0;
    for (const char byte : bytes) {
        sum = 31 * sum + static_cast<unsigned char>(byte);
    }
    return choices[sum % choices.size()];
}

}  // namespace

void fuzz_run_directory(std::string_view bytes) {
    const auto folder = fresh_folder() / "run";
    write_files(folder, bytes, "summary.json");
    reads([&] {
        std::ostringstream page;
        report::write_report(
            {folder, folder}, page, {experiments::comparison_of_two(folder, folder)});
    });
    reads([&] { (void)experiments::compare_runs({{"a", folder}, {"b", folder}}, {}); });
    reads([&] { (void)experiments::batsim_jobs(folder, 0); });
    reads([&] { (void)experiments::check_whole(folder); });
    reads([&] {
        report::write_plot(
            {folder}, one_of(report::figures(), bytes).name, folder.parent_path() / "figure.csv");
    });
}

void fuzz_sweep_directory(std::string_view bytes) {
    const auto folder = fresh_folder() / "sweep";
    write_files(folder, bytes, "sweep.yaml");
    reads([&] {
        std::ostringstream page;
        report::write_report({folder}, page);
    });
    reads([&] {
        for (const experiments::RunArgument& run :
             experiments::points_against(folder.string(), "load=1")) {
            (void)experiments::find_run(folder.string() + ":" + run.label);
        }
    });
    reads([&] { experiments::check_whole_sweep(folder); });
    reads([&] { experiments::write_results_sqlite(folder); });
    reads([&] {
        report::SweepOptions options;
        options.metric = "job_wait_s_mean";
        report::write_sweep_plot(folder,
                                 one_of(report::sweep_figures(), bytes).name,
                                 options,
                                 folder.parent_path() / "figure.csv");
    });
}

void fuzz_rerun(std::string_view bytes) {
    const auto folder = fresh_folder() / "run";
    write_files(folder, bytes, "manifest.json");
    write_input(folder / "experiment.yaml", small_experiment);
    runs("verify", {folder.string(), "-j", "1"});
    runs("why", {folder.string(), "a-4"});
    runs("why", {folder.string(), "a-4", "--json"});
}

}  // namespace berth::tests

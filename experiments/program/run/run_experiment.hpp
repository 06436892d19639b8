#pragma once

#include <functional>
#include <vector>

#include "core/support/value.hpp"
#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/run/packed_files.hpp"
#include "experiments/program/run/run_files.hpp"
#include "experiments/program/run/summary.hpp"
#include "experiments/program/support/progress.hpp"
#include "sim/job/job.hpp"
#include "sim/profile/settings.hpp"
#include "sim/run/run_control.hpp"

namespace berth::experiments {

struct RunOptions {
    unsigned threads = 1;
    /// Shows how far the run is; nullptr: the progress is not shown.
    ProgressView* progress = nullptr;
    TableForm tables{};
    /// Called with each warning as soon as it is known: with those about the experiment before the
    /// first replication, and with those about the results after the last one. It is not called for
    /// `spec.warnings`.
    std::function<void(const std::string&)> warn{};
};

/// The results of a run that are reported when it is over.
struct RunReport {
    bool interrupted = false;  ///< The run was interrupted, and nothing was written.
    std::vector<report::ClaimResult> claims;
    std::vector<report::ClaimResult> expectations;
    std::vector<std::string> warnings;  ///< All warnings, as in summary.json.
    std::string window;  ///< The period that the metrics cover, in words; empty: the whole run.
    std::uint64_t events = 0;
    std::uint64_t decisions = 0;
    double wall_s = 0;
};

/// Runs all replications in threads, and writes the run's files. Except for run.json, they have the
/// same bytes for any number of threads.
/// Errors: core::InputError if the experiment names a metric that it cannot have; exceptions of
///         `out`.
[[nodiscard]] RunReport run_experiment(const ExperimentSpec& spec,
                                       const core::Value& resolved,
                                       RunFiles& out,
                                       const RunOptions& options,
                                       sim::RunControl& control);

/// The settings of one replication: the experiment's settings with the replication's seed.
[[nodiscard]] sim::Settings settings_of(const ExperimentSpec& spec, std::uint64_t seed);
/// The sources of one replication, each with its own random streams, and the background load.
[[nodiscard]] std::unique_ptr<sim::PodSource> make_workload(
    const std::vector<WorkloadSource>& workload, std::uint64_t seed);
/// The number of wrong rows in the traces, if any of them is read leniently.
[[nodiscard]] std::optional<std::uint64_t> trace_rows_skipped(
    const std::vector<WorkloadSource>& workload);
void occupy_background(const std::vector<WorkloadSource>& workload,
                       std::uint64_t seed,
                       core::Ledger& ledger);

}  // namespace berth::experiments

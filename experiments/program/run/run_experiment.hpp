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
    ProgressView* progress = nullptr;  ///< Or nullptr: nobody is shown how far the run is.
    TableForm tables{};
    /// Told each warning as soon as it is known: those about the experiment before its first
    /// replication, those about the results after its last one. Those of `spec.warnings` are not
    /// told again.
    std::function<void(const std::string&)> warn{};
};

/// What a run has to say when it is over.
struct RunReport {
    bool interrupted = false;  ///< Nothing was written then.
    std::vector<report::ClaimResult> claims;
    std::vector<report::ClaimResult> expectations;
    std::vector<std::string> warnings;  ///< All of them, as summary.json has them.
    std::string window;  ///< What the metrics are about, in words; empty: the whole run.
    std::uint64_t events = 0;
    std::uint64_t decisions = 0;
    double wall_s = 0;
};

/// Runs all replications, in threads, and writes the run's files: the same bytes for any number of
/// threads (all but run.json).
/// Errors: core::InputError when the experiment names a metric that it cannot have; what `out`
///         throws.
[[nodiscard]] RunReport run_experiment(const ExperimentSpec& spec,
                                       const core::Value& resolved,
                                       RunFiles& out,
                                       const RunOptions& options,
                                       sim::RunControl& control);

/// What one replication runs with: the experiment's settings and the replication's seed.
[[nodiscard]] sim::Settings settings_of(const ExperimentSpec& spec, std::uint64_t seed);
/// The sources of one replication, each with its own random streams, and what is in use before.
[[nodiscard]] std::unique_ptr<sim::PodSource> make_workload(
    const std::vector<WorkloadSource>& workload, std::uint64_t seed);
/// The wrong rows that traces have, if any is read leniently.
[[nodiscard]] std::optional<std::uint64_t> trace_rows_skipped(
    const std::vector<WorkloadSource>& workload);
void occupy_background(const std::vector<WorkloadSource>& workload,
                       std::uint64_t seed,
                       core::Ledger& ledger);

}  // namespace berth::experiments

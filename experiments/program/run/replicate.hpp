#pragma once

#include <string>
#include <vector>

#include "experiments/program/config/experiment_spec.hpp"
#include "sim/clock/window.hpp"
#include "sim/job/records.hpp"
#include "sim/measure/run_result.hpp"
#include "sim/run/run_control.hpp"

namespace berth::experiments {

/// The cluster of one replication, before the run.
[[nodiscard]] core::Ledger cluster_of(const ExperimentSpec& spec, std::uint32_t replication);

/// Runs one replication on its cluster.
[[nodiscard]] sim::RunResult replicate(const ExperimentSpec& spec,
                                       std::uint32_t replication,
                                       core::Ledger& ledger,
                                       sim::RecordSink& sink,
                                       sim::RunControl& control);

/// The window of an experiment with `warmUp: auto`.
struct FoundWindow {
    sim::Window window;
    /// Sentences about parts of the window that could not be found.
    std::vector<std::string> warnings;
};

/// Runs all replications in threads, without recording anything, and finds the end of their
/// warm-up. The window is the same for any number of threads. Without `to` and `until`, it ends at
/// the earliest of the replications' last arrivals, after which the cluster only empties.
[[nodiscard]] FoundWindow find_window(const ExperimentSpec& spec,
                                      unsigned threads,
                                      sim::RunControl& control);

}  // namespace berth::experiments

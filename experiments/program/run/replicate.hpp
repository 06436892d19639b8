#pragma once

#include <string>
#include <vector>

#include "experiments/program/config/experiment_spec.hpp"
#include "sim/clock/window.hpp"
#include "sim/job/records.hpp"
#include "sim/measure/run_result.hpp"
#include "sim/run/run_control.hpp"

namespace berth::experiments {

/// The cluster of one replication, as it is before the run.
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
    std::vector<std::string> warnings;  ///< Sentences about what could not be found.
};

/// Runs all replications, in threads, without writing anything down, and finds where their warm-up
/// ends; the same window for any number of threads. Without `to` and `until` it ends at the last
/// arrival of the replication in which that is earliest: after it the cluster only empties.
[[nodiscard]] FoundWindow find_window(const ExperimentSpec& spec,
                                      unsigned threads,
                                      sim::RunControl& control);

}  // namespace berth::experiments

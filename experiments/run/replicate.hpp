#pragma once

#include "experiments/config/experiment_spec.hpp"
#include "sim/records.hpp"
#include "sim/run_control.hpp"
#include "sim/run_result.hpp"

namespace berth::experiments {

/// The cluster of one replication, as it is before the run.
[[nodiscard]] core::Ledger cluster_of(const ExperimentSpec& spec, std::uint32_t replication);

/// Runs one replication on its cluster.
[[nodiscard]] sim::RunResult replicate(const ExperimentSpec& spec,
                                       std::uint32_t replication,
                                       core::Ledger& ledger,
                                       sim::RecordSink& sink,
                                       sim::RunControl& control);

}  // namespace berth::experiments

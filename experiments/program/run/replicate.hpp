#pragma once

#include "experiments/program/config/experiment_spec.hpp"
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

}  // namespace berth::experiments

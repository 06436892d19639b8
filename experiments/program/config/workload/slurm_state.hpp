#pragma once

#include "core/support/value.hpp"
#include "core/tree/topology.hpp"
#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/config/workload/pod_labels.hpp"

namespace berth::experiments {

/// Reads the present jobs of a Slurm cluster, as `squeue --json` and `scontrol show job` print
/// them: `running: {format: slurm, ...}` with the text under `jobs`. Running jobs are on their
/// nodes from the start; waiting jobs are included with `pending: true`.
///
/// The time that a job's limit leaves is its estimate, and with `lifetime: limit` also how long it
/// goes on. The present is the latest instant at which, according to the text, anything has
/// happened. Jobs that have ended are skipped.
/// Errors: recorded; InputError for a text that is wrong, or of another kind.
[[nodiscard]] JobList read_slurm_state(const core::Value& running,
                                       PodLabels& labels,
                                       const core::Topology& tree,
                                       core::Diagnostics& diagnostics);

/// Whether a source `running` has jobs of Slurm.
[[nodiscard]] bool is_of_slurm(const core::Value& running);

}  // namespace berth::experiments

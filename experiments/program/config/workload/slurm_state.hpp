#pragma once

#include "core/support/value.hpp"
#include "core/tree/topology.hpp"
#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/config/workload/pod_labels.hpp"

namespace berth::experiments {

/// Reads the jobs that a Slurm cluster has, as `squeue --json` and `scontrol show job` print them:
/// `running: {format: slurm, ...}` with the text under `jobs`. Those that run are on their nodes
/// from the start; those that wait come, too, with `pending: true`.
///
/// What a job's limit leaves of its time is its estimate, and with `lifetime: limit` also how long
/// it goes on. The present is the latest instant that the text tells of anything that has happened.
/// Jobs that have ended are passed over.
/// Errors: recorded; InputError: the text is wrong, or no such text.
[[nodiscard]] JobList read_slurm_state(const core::Value& running,
                                       PodLabels& labels,
                                       const core::Topology& tree,
                                       core::Diagnostics& diagnostics);

/// Whether a source `running` has jobs of Slurm.
[[nodiscard]] bool is_of_slurm(const core::Value& running);

}  // namespace berth::experiments

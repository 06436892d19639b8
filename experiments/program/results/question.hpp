#pragma once

#include <string>
#include <string_view>

#include "experiments/program/results/run_directory.hpp"

namespace berth::report {

/// Reads the text of an experiment.yaml; empty if it is not YAML or is longer than 4 MiB.
[[nodiscard]] Setup read_setup(const std::string& configuration);

/// Describes the cluster: `192 servers in 12 racks and 2 rooms, with 1,536 GPUs`; empty if it is
/// not known.
[[nodiscard]] std::string cluster_in_words(const RunDirectory& run);

/// The question of a run in one sentence: the workload, the cluster, the policy, and how often it
/// ran.
[[nodiscard]] std::string question(const RunDirectory& run);

}  // namespace berth::report

#pragma once

#include <string>
#include <string_view>

#include "experiments/program/results/run_directory.hpp"

namespace berth::report {

/// Reads the text of an experiment.yaml; nothing of one that is no YAML, or longer than 4 MiB.
[[nodiscard]] Setup read_setup(const std::string& configuration);

/// What the cluster is: `192 servers in 12 racks and 2 rooms, with 1,536 GPUs`; empty where it is
/// not known.
[[nodiscard]] std::string cluster_in_words(const RunDirectory& run);

/// What was asked, in one sentence: the workload, the cluster, the policy, how often.
[[nodiscard]] std::string question(const RunDirectory& run);

}  // namespace berth::report

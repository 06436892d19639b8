#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "schedulers/kube/decide/cluster.hpp"

namespace berth::core::kube {

/// The cycle ends with an error, for which no other pod is preempted.
struct CycleError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The scores of feasible nodes.
struct Scores {
    /// By plugin, from 0 to 100 for each node; nothing for a plugin that does not score this pod.
    std::array<std::optional<std::vector<std::int64_t>>, score_plugin_names.size()> by_plugin;
    std::vector<std::int64_t> total;
};

/// Scores at least two feasible nodes, which are positions in the cluster.
/// Errors: CycleError for a preferred term of the pod that cannot be parsed.
[[nodiscard]] Scores score(const Pod& pod, Cluster& cluster, const std::vector<std::size_t>& nodes);

}  // namespace berth::core::kube

#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>

#include "experiments/program/results/cluster.hpp"

namespace berth::report {

/// How much of each cell is in use at equally spaced times until busy_until(), packed: {"last",
/// "all", "moments", "running", "cells", "parts"}. A part is a resource that pods take or, if a
/// demand is not known, the number of pods. Cells are joined until `values_max` is enough for sixty
/// moments; `cells` is the number that remains. Null without pods, or if no time passes.
///
/// Cost: O(pods + values).
[[nodiscard]] nlohmann::ordered_json film_data(Cluster& cluster, std::size_t values_max);

}  // namespace berth::report

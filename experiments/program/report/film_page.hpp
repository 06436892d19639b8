#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>

#include "experiments/program/results/cluster.hpp"

namespace berth::report {

/// How much of each cell is in use at equal distances of time until busy_until(), packed:
/// {"last", "all", "moments", "running", "cells", "parts"}. A part is a resource that pods take,
/// or the pods themselves where a demand is not known. Cells are joined until `values_max` is
/// enough for sixty moments; `cells` says how many there are. Null without pods, or when nothing
/// takes time.
///
/// Cost: O(pods + values).
[[nodiscard]] nlohmann::ordered_json film_data(Cluster& cluster, std::size_t values_max);

}  // namespace berth::report

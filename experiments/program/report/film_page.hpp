#pragma once

#include <cstddef>

#include "experiments/program/results/cluster.hpp"
#include "experiments/program/support/typed_json.hpp"

namespace berth::report {

/// How much of each cell is in use at equally spaced times until busy_until(), packed.
/// A part is a resource that pods take or, if a demand is not known, the number of pods. Cells are
/// joined until `values_max` is enough for sixty moments; `cells` is the number that remains. Null
/// without pods, or if no time passes.
///
/// Cost: O(pods + values).
[[nodiscard]] Maybe<"Film"> film_data(Cluster& cluster, std::size_t values_max);

}  // namespace berth::report

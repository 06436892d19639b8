#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/meter/metric.hpp"

namespace berth::experiments {

/// A sentence, with its remedy, that the replications are too short for a percentile of jobs'
/// waits. Jobs that come one after the other wait alike, so a replication tells less than as many
/// independent waits would, and a percentile far in the tail comes out too low. Nothing where the
/// replications are long enough, or too few to say so. The rule: docs/reference/metrics.md, "When
/// means mislead".
///
/// Shape: the metrics of each replication, in the same order; `percent` is 95 or 99.
[[nodiscard]] std::optional<std::string> short_run_warning(
    std::span<const std::vector<sim::Metric>> replications, int percent);

}  // namespace berth::experiments

#pragma once

#include <vector>

#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "core/tree/topology.hpp"
#include "experiments/program/config/experiment_spec.hpp"

namespace berth::experiments {

/// Reads `spec.expect`, a map from metrics to ranges: `[least, most]`, `{min: ..., max: ...}` or
/// one number, in the metric's unit or as `10m` and `90%`; `confidence: none` beside the metrics or
/// in a range. Whether a run has such a metric shows when it runs.
[[nodiscard]] std::vector<Claim> read_expect(const core::Value* map,
                                             core::Diagnostics& diagnostics);

/// A number, or `[least, most]`, of the claim's metric.
void read_expected_range(const core::Value& value, Claim& claim, core::Diagnostics& diagnostics);

/// Reads `claims`; no list has none.
[[nodiscard]] std::vector<Claim> read_claims(const core::Value* list,
                                             const core::Topology& tree,
                                             core::Diagnostics& diagnostics);

}  // namespace berth::experiments

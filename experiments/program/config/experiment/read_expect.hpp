#pragma once

#include <vector>

#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "core/tree/topology.hpp"
#include "experiments/program/config/experiment_spec.hpp"

namespace berth::experiments {

/// Reads `spec.expect`, a map from metrics to ranges: `[least, most]`, `{min: ..., max: ...}` or
/// one number, in the metric's unit or as `10m` and `90%`. `confidence: none` may be given beside
/// the metrics or in a range. Whether a run has such a metric is only known when it runs.
[[nodiscard]] std::vector<Claim> read_expect(const core::Value* map,
                                             core::Diagnostics& diagnostics);

/// Reads a number or `[least, most]` for the metric of a claim.
void read_expected_range(const core::Value& value, Claim& claim, core::Diagnostics& diagnostics);

/// Reads `claims`; nullptr has none.
[[nodiscard]] std::vector<Claim> read_claims(const core::Value* list,
                                             const core::Topology& tree,
                                             core::Diagnostics& diagnostics);

}  // namespace berth::experiments

#pragma once

#include <vector>

#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "core/tree/topology.hpp"
#include "experiments/program/config/experiment_spec.hpp"

namespace berth::experiments {

/// Reads `claims`; no list has none.
[[nodiscard]] std::vector<Claim> read_claims(const core::Value* list,
                                             const core::Topology& tree,
                                             core::Diagnostics& diagnostics);

}  // namespace berth::experiments

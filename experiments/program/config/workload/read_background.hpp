#pragma once

#include "core/support/value.hpp"
#include "core/tree/topology.hpp"
#include "experiments/program/config/experiment_spec.hpp"

namespace berth::experiments {

/// Reads lines of `server,RESOURCE,...`: what is in use on each named server, in the units of
/// capacities.
///
/// Errors: recorded at their places, in the file if the text is all of one.
[[nodiscard]] GivenBackground read_background(const core::Value& csv,
                                              const core::Topology& tree,
                                              core::Diagnostics& diagnostics);

}  // namespace berth::experiments

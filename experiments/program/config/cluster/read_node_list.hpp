#pragma once

#include <optional>

#include "core/support/value.hpp"
#include "core/tree/topology.hpp"

namespace berth::experiments {

/// Reads `topology.nodes` of a format that is a table: openb or spot.
/// Errors: recorded; InputError for a file that cannot be read.
[[nodiscard]] std::optional<core::Topology> read_node_list(const core::Value& nodes,
                                                           const core::ResourceSchema& also,
                                                           core::Diagnostics& diagnostics);

}  // namespace berth::experiments

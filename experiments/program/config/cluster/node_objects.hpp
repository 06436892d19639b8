#pragma once

#include <string_view>
#include <vector>

#include "core/support/source.hpp"
#include "core/support/value.hpp"

namespace berth::experiments {

/// The Node objects of an experiment's topology; empty if it does not come from such objects.
[[nodiscard]] std::vector<const core::Value*> node_objects(const core::Value& topology);

/// Whether a taint with this key says that a node takes no pods at all. The node's conditions and
/// spec say the same, so a node that is left out for them is left out in any case.
[[nodiscard]] bool is_of_absence(std::string_view taint_key);

/// Warns once, with counts, about fields in the Node objects of an experiment's topology that a run
/// does not model.
void warn_of_node_fields(const core::Value& topology, core::Diagnostics& diagnostics);

}  // namespace berth::experiments

#pragma once

#include <string_view>
#include <vector>

#include "core/support/source.hpp"
#include "core/support/value.hpp"

namespace berth::experiments {

/// The Node objects of an experiment's topology, if it comes from some.
[[nodiscard]] std::vector<const core::Value*> node_objects(const core::Value& topology);

/// Whether a taint of this key says that a node takes no pods at all, of which its conditions and
/// its spec tell: who is away is away anyway.
[[nodiscard]] bool is_of_absence(std::string_view taint_key);

/// Says once, with counts, what Node objects of an experiment's topology say by which no run goes.
void warn_of_node_fields(const core::Value& topology, core::Diagnostics& diagnostics);

}  // namespace berth::experiments

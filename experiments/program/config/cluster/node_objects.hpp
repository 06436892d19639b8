#pragma once

#include <vector>

#include "core/support/value.hpp"

namespace berth::experiments {

/// The Node objects of an experiment's topology, if it comes from some.
[[nodiscard]] std::vector<const core::Value*> node_objects(const core::Value& topology);

}  // namespace berth::experiments

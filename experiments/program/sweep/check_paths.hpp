#pragma once

#include <vector>

#include "experiments/program/sweep/sweep_spec.hpp"

namespace berth::experiments {

/// Reports values that a sweep sets and then loses: a path that is set by two axes, or by an axis
/// and `--set`, also if one uses an entry's name and the other its index; and a path inside a value
/// that a later one replaces as a whole.
void check_paths(const SweepSpec& sweep,
                 const std::vector<Override>& overrides,
                 core::Diagnostics& diagnostics);

}  // namespace berth::experiments

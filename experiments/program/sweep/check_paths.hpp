#pragma once

#include <vector>

#include "experiments/program/sweep/sweep_spec.hpp"

namespace berth::experiments {

/// Reports what a sweep sets and then loses: a path that two axes set, or an axis and `--set`, also
/// where an entry of a list is by its name in one of them and by its index in the other; and a path
/// inside a value that a later one replaces as a whole.
void check_paths(const SweepSpec& sweep,
                 const std::vector<Override>& overrides,
                 core::Diagnostics& diagnostics);

}  // namespace berth::experiments

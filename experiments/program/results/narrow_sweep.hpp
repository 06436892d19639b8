#pragma once

#include <string>
#include <vector>

#include "experiments/program/results/sweep_directory.hpp"

namespace berth::report {

/// Leaves of each axis of which several values are named those values alone, in their order, and of
/// the points those that have them. What named them is taken out of `where`; an axis of which one
/// value is named stays as it is.
///
/// Errors: as axis_value().
void narrow_sweep(SweepDirectory& sweep, std::vector<std::string>& where);

}  // namespace berth::report

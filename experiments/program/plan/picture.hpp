#pragma once

#include <cstddef>
#include <string>

#include "experiments/program/plan/answer.hpp"

namespace berth::experiments {

/// A picture of one requirement as SVG: a point and an interval for each choice that was tried, by
/// ascending cost, and the bound as a line. Values far beyond the bound are cut off at the edge,
/// with an arrow; the text at each point has the number.
[[nodiscard]] std::string requirement_picture(const PlanAnswer& answer, std::size_t requirement);

}  // namespace berth::experiments

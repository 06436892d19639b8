#pragma once

#include <string>

#include "experiments/program/plan/answer.hpp"

namespace berth::experiments {

/// A page of one file about a plan's answer: for each requirement, a picture of what was tried,
/// with the intervals and the bound, the least costly choice first; below it the frontier as a
/// table, and the warnings. It needs no other file and no script.
[[nodiscard]] std::string plan_page(const PlanAnswer& answer);

}  // namespace berth::experiments

#pragma once

#include "experiments/program/plan/answer.hpp"
#include "experiments/program/plan/measure.hpp"

namespace berth::experiments {

/// Adds what a reader must know of an answer: the warnings of the runs about their inputs and
/// means, a requirement that may not depend on the choice or has too few jobs, more that does not
/// help, and choices that stay in doubt or were not tried. Each is one line with its remedy.
void add_warnings(const PlanPoints& points, PlanAnswer& answer);

}  // namespace berth::experiments

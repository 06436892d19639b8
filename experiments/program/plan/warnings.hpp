#pragma once

#include "experiments/program/plan/answer.hpp"
#include "experiments/program/plan/measure.hpp"

namespace berth::experiments {

/// Adds what a reader must know of an answer: a requirement that does not depend on the choice,
/// more that does not help, choices that stay in doubt, and the warnings of the runs about their
/// means at the choices beside the answer. Each is one line with its remedy.
void add_warnings(const PlanPoints& points, PlanAnswer& answer);

}  // namespace berth::experiments

#pragma once

#include "tests/model/plain_case.hpp"
#include "tests/support/dice.hpp"

namespace berth::tests {

/// Adds two families of quotas and a quota without children, and what is done with them.
void add_quotas(Dice& dice, PlainCase& of);

/// For cases with a recycler or preemption: mostly small pods that stay for long, most of them in
/// few quotas.
void press_quotas(Dice& dice, PlainCase& of);

}  // namespace berth::tests

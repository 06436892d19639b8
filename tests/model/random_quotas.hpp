#pragma once

#include "tests/model/plain_case.hpp"
#include "tests/support/dice.hpp"

namespace berth::tests {

/// Two families of quotas and one that has none below it, and what is done with them.
void add_quotas(Dice& dice, PlainCase& of);

/// Where somebody takes back what was lent, or preempts: mostly small pods that stay for long, and
/// most of them in few quotas.
void press_quotas(Dice& dice, PlainCase& of);

}  // namespace berth::tests

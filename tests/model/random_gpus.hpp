#pragma once

#include "tests/model/plain_case.hpp"
#include "tests/support/dice.hpp"

namespace berth::tests {

/// Gives a case's servers GPUs that its pods share, and amounts like those of servers with GPUs.
void share_gpus(Dice& dice, PlainCase& of);

/// What other kinds of devices need as well: memory as the second resource, and quotas that limit
/// GPUs as the third.
void add_memory(Dice& dice, PlainCase& of);
void limit_gpus(Dice& dice, PlainCase& of);

}  // namespace berth::tests

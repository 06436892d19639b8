#pragma once

#include "tests/model/plain_case.hpp"
#include "tests/support/dice.hpp"

namespace berth::tests {

/// Gives a case's servers GPUs that its pods share, and amounts like those of servers with GPUs.
void share_gpus(Dice& dice, PlainCase& of);

}  // namespace berth::tests

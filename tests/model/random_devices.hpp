#pragma once

#include "tests/model/plain_case.hpp"
#include "tests/support/dice.hpp"

namespace berth::tests {

/// Gives a case's servers GPUs and NICs on switches, an allocator for them, and pods that ask for
/// them, together and with hints.
void allocate_devices(Dice& dice, PlainCase& of);

}  // namespace berth::tests

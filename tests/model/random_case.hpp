#pragma once

#include "tests/model/plain_case.hpp"
#include "tests/support/dice.hpp"

namespace berth::tests {

/// A small experiment with any of the features that the plain model supports.
[[nodiscard]] PlainCase random_case(Dice& dice);

}  // namespace berth::tests

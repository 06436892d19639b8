#pragma once

#include "tests/model/plain_case.hpp"
#include "tests/support/dice.hpp"

namespace berth::tests {

/// A small experiment with any of what the plain model knows.
[[nodiscard]] PlainCase random_case(Dice& dice);

}  // namespace berth::tests

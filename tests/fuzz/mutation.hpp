#pragma once

#include <string>

#include "support/dice.hpp"

namespace berth::tests {

/// Changes a text once: a byte, a cut, a repeated part, a giant number or a separator; or else a
/// whole line or word, or many numbers into one near a bound, so that the result often is still a
/// document.
void mutate(std::string& text, Dice& dice);

}  // namespace berth::tests

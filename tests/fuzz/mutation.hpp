#pragma once

#include <string>

#include "support/dice.hpp"

namespace berth::tests {

/// Changes a text once: a byte, a cut, a part twice, a giant number, a separator; or a whole line
/// or word, or many numbers into one near a bound, so that what comes out is often a document
/// still.
void mutate(std::string& text, Dice& dice);

}  // namespace berth::tests

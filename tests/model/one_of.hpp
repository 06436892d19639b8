#pragma once

#include <cstddef>
#include <iterator>
#include <vector>

#include "tests/support/dice.hpp"

namespace berth::tests {

template <class T>
[[nodiscard]] const T& one_of(Dice& dice, const std::vector<T>& all) {
    return all[static_cast<std::size_t>(dice.roll(0, std::ssize(all) - 1))];
}

}  // namespace berth::tests

#pragma once

#include <boost/random/uniform_int_distribution.hpp>
#include <cstddef>

#include "sim/clock/random.hpp"

namespace berth::workloads {

/// A random number from 0 to `count` - 1, all equally probable.
[[nodiscard]] inline std::size_t random_index(std::size_t count, sim::RandomBits& bits) {
    return boost::random::uniform_int_distribution<std::size_t>(0, count - 1)(bits);
}

}  // namespace berth::workloads

#pragma once

#include <cstdint>

namespace berth::core {

/// How many members an inner node is thought to hold.
enum class NumFit : std::uint8_t {
    /// The node's own available amounts divided by the demand: the paper's Algorithm 1, line 7.
    aggregate,
    percolated,  ///< The sum of its servers' fits, as the published program counts.
};

}  // namespace berth::core

#pragma once

#include <cstdint>
#include <limits>

#include "core/tree/ids.hpp"

namespace berth::core {

/// part / whole in units of 2^-20, rounded down; 0 if either is not above 0.
[[nodiscard]] constexpr std::int64_t share(Amount part, Amount whole) {
    if (whole <= 0 || part <= 0) {
        return 0;
    }
    constexpr Amount narrow = std::numeric_limits<Amount>::max() >> 20;
    if (part <= narrow) {
        return (part << 20) / whole;
    }
    __extension__ using Wide = __int128;  // an amount may have 63 bits already
    return static_cast<std::int64_t>((static_cast<Wide>(part) << 20) / whole);
}
inline constexpr std::int64_t full_share = std::int64_t{1} << 20;

}  // namespace berth::core

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace berth::core {

/// A count with its noun: `1 pair`, `2 pairs`.
[[nodiscard]] inline std::string plural(std::size_t count, std::string_view noun) {
    return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace berth::core

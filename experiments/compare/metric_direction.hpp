#pragma once

#include <cstdint>
#include <string_view>

namespace berth::experiments {

/// Which way a metric is better.
enum class Direction : std::uint8_t {
    unknown,  ///< It depends on what the cluster is for.
    lower,
    higher,
};
[[nodiscard]] std::string_view to_string(Direction direction);

/// By the metric's name; docs/reference/metrics.md has the names and their directions.
[[nodiscard]] Direction direction_of(std::string_view metric);

}  // namespace berth::experiments

#pragma once

#include <optional>
#include <string_view>

namespace berth::report {

/// A duration in seconds: `90s`, `1h30m`, or `0`; nothing for any other text. This is only for
/// figures and bounds: sim::parse_duration reads the input of a run exactly.
[[nodiscard]] std::optional<double> seconds_in(std::string_view text);

/// A Kubernetes quantity: `256Gi`, `500m`, `1e3`; nothing for any other text.
[[nodiscard]] std::optional<double> quantity_in(std::string_view text);

}  // namespace berth::report

#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace berth::report {

/// Six digits are more than any picture shows; null for what is no number.
[[nodiscard]] nlohmann::ordered_json rounded(double value);
[[nodiscard]] nlohmann::ordered_json rounded(const std::optional<double>& value);
[[nodiscard]] nlohmann::ordered_json rounded_list(const std::vector<double>& values);
/// One number when all are equal, as the capacities of equal machines are; null when none is one.
[[nodiscard]] nlohmann::ordered_json folded(const std::vector<double>& values);

}  // namespace berth::report

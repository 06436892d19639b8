#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace berth::report {

/// Six digits are more than any picture shows; null for what is no number.
[[nodiscard]] nlohmann::ordered_json rounded(double value);
[[nodiscard]] nlohmann::ordered_json rounded(const std::optional<double>& value);
[[nodiscard]] nlohmann::ordered_json rounded_list(const std::vector<double>& values);
/// One number when all are equal, as the capacities of equal machines are; null when none is one.
[[nodiscard]] nlohmann::ordered_json folded(const std::vector<double>& values);

/// A column of whole numbers for the page, in few letters: the number itself when all are equal;
/// otherwise a text: each number, or its difference to the one before it where that is shorter,
/// zigzag, seven bits a byte, in base64. A text begins with `d` for differences, `v` for values.
[[nodiscard]] nlohmann::ordered_json packed(const std::vector<std::int64_t>& values);

/// A column of any numbers. Whole ones stay as they are; others are rounded to six digits of the
/// largest. {"step" or "per", "values", "null"}: a number is a value of `values`, which is packed,
/// times `step` or by `per`; where it equals `null`, there is none. Null without any number.
[[nodiscard]] nlohmann::ordered_json packed_numbers(const std::vector<double>& values);
[[nodiscard]] nlohmann::ordered_json packed_columns(
    const std::vector<std::vector<double>>& columns);

}  // namespace berth::report

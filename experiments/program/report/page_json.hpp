#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace berth::report {

/// A value rounded to six digits, which is more than any picture shows; null if it is not a number.
[[nodiscard]] nlohmann::ordered_json rounded(double value);
[[nodiscard]] nlohmann::ordered_json rounded(const std::optional<double>& value);
[[nodiscard]] nlohmann::ordered_json rounded_list(const std::vector<double>& values);
/// One number if all values are equal, as the capacities of equal machines are; null if none is a
/// number.
[[nodiscard]] nlohmann::ordered_json folded(const std::vector<double>& values);

/// A column of whole numbers in a short form: the number itself if all are equal, otherwise a text.
/// The text has each number, or its difference to the one before if that is shorter, in zigzag
/// encoding with seven bits per byte, in base64. It begins with `d` for differences or `v` for
/// values.
[[nodiscard]] nlohmann::ordered_json packed(const std::vector<std::int64_t>& values);

/// A column of any numbers: {"step" or "per", "values", "null"}. Whole numbers stay as they are;
/// others are rounded to six digits of the largest one. A number is an entry of `values`, which is
/// packed, times `step` or divided by `per`; an entry equal to `null` means that there is no
/// number. Null if the column has no numbers.
[[nodiscard]] nlohmann::ordered_json packed_numbers(const std::vector<double>& values);
[[nodiscard]] nlohmann::ordered_json packed_columns(
    const std::vector<std::vector<double>>& columns);

}  // namespace berth::report

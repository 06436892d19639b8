#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "experiments/program/support/typed_json.hpp"

namespace berth::report {

/// A value rounded to six digits, which is more than any picture shows; null if it is not a number.
[[nodiscard]] Is<"number"> rounded(double value);
[[nodiscard]] Is<"Value"> rounded(const std::optional<double>& value);
/// Does the same for a value that may be missing, which the page knows.
[[nodiscard]] Is<"Value"> rounded_if_any(double value);
[[nodiscard]] Is<"number[]"> rounded_list(const std::vector<double>& values);
[[nodiscard]] Is<"Value[]"> rounded_if_any(const std::vector<double>& values);
/// One number if all values are equal, as the capacities of equal machines are; null if none is a
/// number.
[[nodiscard]] Is<"Folded"> folded(const std::vector<double>& values);

/// A column of whole numbers in a short form: the number itself if all are equal, otherwise a text.
/// The text has each number, or its difference to the one before if that is shorter, in zigzag
/// encoding with seven bits per byte, in base64. It begins with `d` for differences or `v` for
/// values.
[[nodiscard]] Is<"Packed"> packed(const std::vector<std::int64_t>& values);

/// A column of any numbers: {"step" or "per", "values", "null"}. Whole numbers stay as they are;
/// others are rounded to six digits of the largest one. A number is an entry of `values`, which is
/// packed, times `step` or divided by `per`; an entry equal to `null` means that there is no
/// number. Null if the column has no numbers.
[[nodiscard]] Is<"PackedNumbers"> packed_numbers(const std::vector<double>& values);

}  // namespace berth::report

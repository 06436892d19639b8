#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/program/results/tables/table_columns.hpp"

namespace berth::report {

/// The key under which a batch's message has the numbers and times that no 64-bit floating-point
/// number represents exactly.
inline constexpr std::string_view exact_numbers_key = "exact_numbers";

/// Writes a line `ROW,COLUMN,NUMBER` for each such number, with row and column counted from 0: for
/// those in `exact`, and for times whose seconds do not determine their nanoseconds.
[[nodiscard]] std::string text_of_exact_numbers(const RowBlock& block,
                                                const std::vector<ColumnHead>& heads);
/// Reads such a text back, for a block whose columns have been read: sets `exact`, and the
/// nanoseconds of times.
/// Errors: std::runtime_error where the text is malformed or has other numbers than the block, and
///         for seconds that are not a time.
void read_exact_numbers(std::string_view text,
                        const std::vector<ColumnHead>& heads,
                        RowBlock& block);

}  // namespace berth::report

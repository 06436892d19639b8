#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/program/results/tables/table_columns.hpp"

namespace berth::report {

/// Under which key the message of a batch has its numbers and times that no 64-bit floating-point
/// number tells.
inline constexpr std::string_view exact_numbers_key = "exact_numbers";

/// A line `ROW,COLUMN,NUMBER` for each, both counted from 0: for what is in `exact`, and for times
/// whose seconds do not tell their nanoseconds.
[[nodiscard]] std::string text_of_exact_numbers(const RowBlock& block,
                                                const std::vector<ColumnHead>& heads);
/// The same the other way round, for a block whose columns are there: sets `exact`, and the
/// nanoseconds of times.
/// Errors: std::runtime_error at what is no such text, or tells other numbers than the block has,
///         and at seconds that are no time.
void read_exact_numbers(std::string_view text,
                        const std::vector<ColumnHead>& heads,
                        RowBlock& block);

}  // namespace berth::report

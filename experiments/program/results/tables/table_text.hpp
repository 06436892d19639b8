#pragma once

#include <string>
#include <vector>

#include "experiments/program/results/tables/table_columns.hpp"

namespace berth::report {

/// The text of a table that a run wrote, byte by byte, of the columns that were read from it.
[[nodiscard]] std::string text_of_header(const std::vector<ColumnHead>& heads);
/// `table` has the dictionaries of the block, which need not be one of its own.
[[nodiscard]] std::string text_of_rows(const TableColumns& table, const RowBlock& block);

}  // namespace berth::report

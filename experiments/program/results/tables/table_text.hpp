#pragma once

#include <string>
#include <vector>

#include "experiments/program/results/tables/table_columns.hpp"

namespace berth::report {

/// The first line of a table that a run wrote, byte for byte, from the columns that were read from
/// it.
[[nodiscard]] std::string text_of_header(const std::vector<ColumnHead>& heads);
/// The rows of a block, byte for byte. `table` has the block's dictionaries, but need not contain
/// the block.
[[nodiscard]] std::string text_of_rows(const TableColumns& table, const RowBlock& block);

}  // namespace berth::report

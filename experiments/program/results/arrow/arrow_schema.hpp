#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/program/results/arrow/flat_table.hpp"
#include "experiments/program/results/arrow/flat_view.hpp"
#include "experiments/program/results/tables/table_columns.hpp"

namespace berth::report {

/// Makes the field of an Arrow schema for a column.
[[nodiscard]] FlatTable field_of(const ColumnHead& head, std::size_t column);
/// Reads such a field back.
/// Returns: the column's head, without unit and meaning.
/// Errors: std::runtime_error for a field that field_of() cannot have made.
[[nodiscard]] ColumnHead head_of_field(const FlatView& field, std::size_t column);

/// The metadata of a field, a schema or a message in an Arrow file, made from keys and values.
[[nodiscard]] std::vector<FlatTable> metadata_of(
    const std::vector<std::pair<std::string_view, std::string_view>>& pairs);
/// The text of a key in such metadata; empty where the key is missing.
[[nodiscard]] std::string_view metadata_value(const std::vector<FlatView>& pairs,
                                              std::string_view key);

}  // namespace berth::report

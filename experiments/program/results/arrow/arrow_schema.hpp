#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/program/results/arrow/flat_table.hpp"
#include "experiments/program/results/arrow/flat_view.hpp"
#include "experiments/program/results/tables/table_columns.hpp"

namespace berth::report {

/// A column as a field of an Arrow schema.
[[nodiscard]] FlatTable field_of(const ColumnHead& head, std::size_t column);
/// The same the other way round. Returns: the head without unit and meaning.
/// Errors: std::runtime_error where field_of() makes no such field.
[[nodiscard]] ColumnHead head_of_field(const FlatView& field, std::size_t column);

/// Texts that an Arrow file says of a field, of a schema or of a message.
[[nodiscard]] std::vector<FlatTable> metadata_of(
    const std::vector<std::pair<std::string_view, std::string_view>>& pairs);
/// The text of a key among them; empty where it is not there.
[[nodiscard]] std::string_view metadata_value(const std::vector<FlatView>& pairs,
                                              std::string_view key);

}  // namespace berth::report

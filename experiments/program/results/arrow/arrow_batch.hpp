#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "experiments/program/results/arrow/flat_view.hpp"
#include "experiments/program/results/tables/table_columns.hpp"
#include "experiments/program/results/tables/tables.hpp"

namespace berth::report {

/// Reads the columns of a record batch out of the body of its message. What is lent to others must
/// be sound: each value is looked at that leads to another.
/// Shape:  the columns have these types; a `category` is read as codes, a `time` as seconds.
/// Errors: std::runtime_error saying what is wrong.
[[nodiscard]] RowBlock read_arrow_batch(const FlatView& batch,
                                        std::string_view body,
                                        const std::vector<Type>& types);

}  // namespace berth::report

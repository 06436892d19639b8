#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "experiments/program/results/arrow/flat_view.hpp"
#include "experiments/program/results/tables/table_columns.hpp"
#include "experiments/program/results/tables/tables.hpp"

namespace berth::report {

/// Reads the columns of a record batch out of the body of its message. As the columns are lent to
/// other libraries, they must be sound: each value that leads to another one is checked.
/// Shape:  the columns have these types; a `category` is read as codes, a `time` as seconds.
/// Errors: std::runtime_error with what is wrong.
[[nodiscard]] RowBlock read_arrow_batch(const FlatView& batch,
                                        std::string_view body,
                                        const std::vector<Type>& types);

}  // namespace berth::report

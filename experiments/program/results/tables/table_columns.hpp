#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/program/results/tables/tables.hpp"

namespace berth::report {

/// The description of a file's column.
struct ColumnHead {
    std::string name;  ///< The name in the file's header.
    Type type = Type::name;
    std::string unit;     ///< The unit as in ColumnRecord; for a metric, the metric's unit.
    std::string meaning;  ///< Empty for a column that is neither in tables.def nor a metric.
};

/// The fields of one column in a block of consecutive rows. The vectors are laid out like the
/// buffers of such a column in Apache Arrow's columnar format, so that they can be lent as they
/// are. An empty field is null.
struct ColumnFields {
    std::int64_t nulls = 0;
    /// One bit per row, the lowest first: whether there is a value.
    std::vector<std::uint8_t> valid;
    std::vector<std::uint8_t> flags;  ///< For a `flag`: one bit per row.
    /// For an `integer`, a `time` (in ns) or an `unsigned_integer`.
    std::vector<std::int64_t> wholes;
    std::vector<double> numbers;      ///< For a `number`, or the seconds of a `time`.
    std::vector<std::int32_t> codes;  ///< For a `category`: indices into its dictionary.
    /// For a `name`: the beginning of each text in `letters`, and the end of the last one.
    std::vector<std::int64_t> offsets;
    std::string letters;
};

/// The text of a number that the double in its column does not determine: a whole amount beyond
/// 2^53, and in an Arrow file a time beyond 97 days.
struct ExactNumber {
    std::int64_t row = 0;  ///< The row's index in its block.
    std::size_t column = 0;
    std::string text;

    friend auto operator<=>(const ExactNumber&, const ExactNumber&) = default;
};

/// Consecutive rows of a table.
struct RowBlock {
    std::int64_t rows = 0;
    std::vector<ColumnFields> columns;
    std::vector<ExactNumber> exact;  ///< Ordered by row and column, as in the text.
};

/// A table of a run directory, stored by columns.
struct TableColumns {
    std::string file;      ///< The file's name in a run directory; empty if it is not such a file.
    std::string rows_are;  ///< Such as `a row for each job, in order of arrival`.
    std::vector<ColumnHead> heads;
    /// For each category column, its different values as the fields of a `name`; for other columns,
    /// nothing.
    std::vector<ColumnFields> dictionaries;
    std::vector<RowBlock> blocks;
    std::int64_t rows = 0;
};

/// Reads a CSV text with a header in threads; `head_of` describes its columns.
/// Shape:  the columns of the header, in its order.
/// Errors: core::InputError at a field that does not have its column's type, and at a record of the
///         wrong length; `name` stands for the file.
/// Cost:   O(text), about 200 MB/s per thread. A block has at least one row, and about 16 MB of
///       text.
[[nodiscard]] TableColumns read_columns(
    std::string_view text,
    const std::string& name,
    unsigned threads,
    const std::function<ColumnHead(const std::string& name)>& head_of);
/// Reads seconds as a file has them and returns nanoseconds, rounded if there are more than nine
/// digits.
/// Returns: nothing for a text that is not a time.
[[nodiscard]] std::optional<std::int64_t> parse_nanoseconds(std::string_view text);
/// The nanoseconds nearest to these seconds; nothing if they exceed the longest time.
[[nodiscard]] std::optional<std::int64_t> nanoseconds_of(double seconds);

/// The description of a column of a run directory's table.
[[nodiscard]] ColumnHead head_of_column(Table table, const std::string& name);
/// Like read_columns(), for a table of a run directory. Columns that are not in tables.def are
/// metrics, which are numbers.
[[nodiscard]] TableColumns read_table_columns(Table table,
                                              std::string_view text,
                                              const std::string& name,
                                              unsigned threads);

}  // namespace berth::report

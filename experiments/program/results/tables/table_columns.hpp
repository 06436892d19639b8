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

/// What a column of a file is.
struct ColumnHead {
    std::string name;  ///< As the file's header has it.
    Type type = Type::name;
    std::string unit;     ///< As in ColumnRecord; of a metric, the metric's.
    std::string meaning;  ///< Empty for a column that neither tables.def nor the metrics know.
};

/// The fields of one column, of some rows that follow each other. The vectors hold what Apache
/// Arrow's columnar format has in the buffers of such a column, so that they can be lent as they
/// are. An empty field is null.
struct ColumnFields {
    std::int64_t nulls = 0;
    std::vector<std::uint8_t> valid;   ///< A bit a row, the lowest first: whether there is a value.
    std::vector<std::uint8_t> flags;   ///< A bit a row; of a `flag`.
    std::vector<std::int64_t> wholes;  ///< Of an `integer`, a `time` in ns, an `unsigned_integer`.
    std::vector<double> numbers;       ///< Of a `number`; of a `time`, its seconds.
    std::vector<std::int32_t> codes;   ///< Of a `category`: places in its dictionary.
    /// Of a `name`: where each one begins in `letters`, and where the last one ends.
    std::vector<std::int64_t> offsets;
    std::string letters;
};

/// A number as the text has it, where the double in its column does not tell: a whole amount beyond
/// 2^53, and in an Arrow file a time beyond 97 days.
struct ExactNumber {
    std::int64_t row = 0;  ///< Of its block.
    std::size_t column = 0;
    std::string text;

    friend auto operator<=>(const ExactNumber&, const ExactNumber&) = default;
};

/// Rows that follow each other.
struct RowBlock {
    std::int64_t rows = 0;
    std::vector<ColumnFields> columns;
    std::vector<ExactNumber> exact;  ///< By row and column, each where it is in the text.
};

/// A table of a run directory, by columns.
struct TableColumns {
    std::string file;      ///< Its name in a run directory; empty if it is in none.
    std::string rows_are;  ///< `a row for each job, in order of arrival`
    std::vector<ColumnHead> heads;
    /// By column: for a category its different values, as the fields of a `name`; else nothing.
    std::vector<ColumnFields> dictionaries;
    std::vector<RowBlock> blocks;
    std::int64_t rows = 0;
};

/// Reads a CSV text with a header in threads; `head_of` says what its columns are.
/// Shape:  the columns of the header, in its order.
/// Errors: core::InputError at a field that is not what its column holds, and at a record of the
///         wrong length; `name` stands for the file.
/// Cost:   O(text); about 200 MB/s a thread. A block has at least a row and about 16 MB of text.
[[nodiscard]] TableColumns read_columns(
    std::string_view text,
    const std::string& name,
    unsigned threads,
    const std::function<ColumnHead(const std::string& name)>& head_of);
/// Seconds as a file has them, in nanoseconds; rounded, where there are more digits than nine.
/// Returns: nothing for a text that is no time.
[[nodiscard]] std::optional<std::int64_t> parse_nanoseconds(std::string_view text);
/// The nanoseconds nearest to seconds; nothing where no time is as long.
[[nodiscard]] std::optional<std::int64_t> nanoseconds_of(double seconds);

/// What a column of a table of a run directory is.
[[nodiscard]] ColumnHead head_of_column(Table table, const std::string& name);
/// The same as read_columns(), of a table of a run directory. Columns that tables.def does not know
/// are metrics: numbers.
[[nodiscard]] TableColumns read_table_columns(Table table,
                                              std::string_view text,
                                              const std::string& name,
                                              unsigned threads);

}  // namespace berth::report

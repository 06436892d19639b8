#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/support/csv_record.hpp"
#include "workloads/trace/line_reader.hpp"
#include "workloads/trace/numbers.hpp"
#include "workloads/trace/row_error.hpp"

namespace berth::workloads {

/// The rows of a table with a header, and their cells by the columns that a reader asked for. A
/// cell of a column that the table does not have is empty.
class CsvRows {
public:
    /// Reads the header.
    /// Errors: InputError: an empty file, a header without a column that is required.
    CsvRows(TextBlocks blocks, core::CsvDialect dialect, std::vector<core::CsvColumn> columns);
    /// The same, for a reader that has to see the header's names first. Their views must last.
    using ChooseColumns =
        std::function<std::vector<core::CsvColumn>(const std::vector<std::string>& header)>;
    CsvRows(TextBlocks blocks, core::CsvDialect dialect, const ChooseColumns& choose);

    /// The names of all columns, in their order.
    [[nodiscard]] const std::vector<std::string>& header() const { return header_; }
    /// Columns that were not asked for but resemble one that was and is missing: a line each.
    [[nodiscard]] const std::vector<std::string>& near_misses() const { return near_misses_; }
    /// What separates the columns, where that is not what the dialect says: a line, or none.
    [[nodiscard]] const std::vector<std::string>& separator_notes() const {
        return separator_notes_;
    }

    /// Goes to the next row; empty lines are none. Returns false after the last.
    /// Errors: RowError: too long, not as many fields as the header, quotes that do not end.
    [[nodiscard]] bool next();
    /// The same, whatever number of fields the row has.
    [[nodiscard]] bool next_loose();
    [[nodiscard]] std::size_t field_count() const { return record_.fields().size(); }
    [[nodiscard]] std::size_t header_field_count() const { return field_count_; }
    /// The fields of the line behind the row; none behind the last. It is the next row, unless
    /// join_peeked() makes it a part of this one.
    [[nodiscard]] std::span<const core::CsvField> peek();
    void join_peeked();
    /// Where the cell of a column is in each row that has as many fields as the header.
    [[nodiscard]] std::size_t place(std::size_t column) const { return places_[column]; }
    /// Where the cell of each column is in this row alone; `absent` remains so.
    void set_places(std::vector<std::size_t> places) { columns_ = std::move(places); }
    /// Throws a RowError: so many fields, but expected as in the header, `and` what is said.
    [[noreturn]] void fail_field_count(std::string_view and_what = "") const;
    /// The line on which the row begins.
    [[nodiscard]] std::uint64_t line() const { return first_line_; }

    [[nodiscard]] bool has(std::size_t column) const {
        return columns_[column] != core::CsvColumns::absent;
    }
    /// The cell, without blanks around it.
    [[nodiscard]] std::string_view text(std::size_t column) const;
    /// The cell of a column that the row has, with the blanks around it.
    [[nodiscard]] std::string_view whole_text(std::size_t column) const {
        return record_.fields()[columns_[column]].text;
    }

    /// The cell at this place of a row that has as many fields as the header, with the blanks
    /// around it.
    [[nodiscard]] std::string_view whole_field(std::size_t place) const {
        return record_.fields()[place].text;
    }

    /// The cell as a number; an empty cell is none.
    /// Errors: RowError: no number, one out of range, a negative one.
    [[nodiscard]] std::optional<std::int64_t> amount(std::size_t column,
                                                     const AmountUnit& unit) const;
    [[nodiscard]] std::optional<sim::SimTime> seconds(std::size_t column) const;
    /// A point in time.
    [[nodiscard]] std::optional<sim::SimTime> instant(std::size_t column) const;
    /// The same, of a cell that must not be empty.
    [[nodiscard]] std::int64_t need_amount(std::size_t column, const AmountUnit& unit) const;

    /// Throws a RowError at the cell: `what 'cell': expected ...`.
    [[noreturn]] void fail(std::size_t column,
                           std::string_view what,
                           std::string_view expected) const;
    /// Throws a RowError at the cell with a message of one's own.
    [[noreturn]] void fail(std::size_t column, std::string_view message) const;
    /// The same at the row's beginning.
    [[noreturn]] void fail_row(std::string_view message) const;

private:
    /// Goes by the separator that the header has; tables with another than usual may have quotes.
    void take_delimiter(core::CsvDialect usual);
    void find_near_misses();
    [[nodiscard]] std::optional<sim::SimTime> time(
        std::size_t column,
        std::variant<sim::SimTime, NumberFault> (*parse)(std::string_view)) const;
    [[nodiscard]] bool next_record();
    void join_lines();
    /// Makes the row's text this object's own, so that the next line can be read.
    void keep_row();
    void check_length() const;
    [[noreturn]] void fail_at(std::size_t begin,
                              std::size_t length,
                              std::string_view message) const;

    LineReader lines_;
    core::CsvRecord record_;
    std::vector<std::string> header_;
    std::vector<core::CsvColumn> wanted_;
    std::vector<std::size_t> places_;   ///< By column: its field in the header.
    std::vector<std::size_t> columns_;  ///< By column: its field in the current row.
    bool peeked_ = false;               ///< Whether the line at hand comes behind the row.
    core::CsvRecord peeked_record_;
    std::vector<std::string> near_misses_;
    std::vector<std::string> separator_notes_;
    std::size_t field_count_ = 0;
    std::string_view row_;
    std::string joined_;  ///< A row of several lines.
    std::uint64_t first_line_ = 0;
};

}  // namespace berth::workloads

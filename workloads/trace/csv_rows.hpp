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

/// The rows of a table with a header. Cells are named by the columns that a reader asked for; the
/// cell of a column that the table lacks is empty.
class CsvRows {
public:
    /// Reads the header.
    /// Errors: InputError for an empty file, and for a header without a required column.
    CsvRows(TextBlocks blocks, core::CsvDialect dialect, std::vector<core::CsvColumn> columns);
    /// The same, for a reader that has to see the names in the header first. The views in the
    /// columns that it returns must stay valid.
    using ChooseColumns =
        std::function<std::vector<core::CsvColumn>(const std::vector<std::string>& header)>;
    CsvRows(TextBlocks blocks, core::CsvDialect dialect, const ChooseColumns& choose);

    /// The names of all columns, in their order.
    [[nodiscard]] const std::vector<std::string>& header() const { return header_; }
    /// One line for each missing column that a column of the table resembles.
    [[nodiscard]] const std::vector<std::string>& near_misses() const { return near_misses_; }
    /// A line that says what separates the columns; empty: the dialect's own separator does.
    [[nodiscard]] const std::vector<std::string>& separator_notes() const {
        return separator_notes_;
    }

    /// Goes to the next row, skipping empty lines. Returns false after the last.
    /// Errors: RowError for a row that is too long, has another number of fields than the header,
    ///         or has quotes that do not end.
    [[nodiscard]] bool next();
    /// Goes to the next row, whatever number of fields it has.
    [[nodiscard]] bool next_loose();
    [[nodiscard]] std::size_t field_count() const { return record_.fields().size(); }
    [[nodiscard]] std::size_t header_field_count() const { return field_count_; }
    /// The fields of the line behind the row; empty behind the last line. That line is the next
    /// row, unless join_peeked() makes it a part of this one.
    [[nodiscard]] std::span<const core::CsvField> peek();
    void join_peeked();
    /// Index of a column's field in each row that has as many fields as the header.
    [[nodiscard]] std::size_t place(std::size_t column) const { return places_[column]; }
    /// Sets the index of each column's field for this row alone; an `absent` column must stay
    /// absent.
    void set_places(std::vector<std::size_t> places) { columns_ = std::move(places); }
    /// Throws a RowError which says that the row has a wrong number of fields. `and_what` follows
    /// the number that was expected.
    [[noreturn]] void fail_field_count(std::string_view and_what = "") const;
    /// The line on which the row begins.
    [[nodiscard]] std::uint64_t line() const { return first_line_; }

    [[nodiscard]] bool has(std::size_t column) const {
        return columns_[column] != core::CsvColumns::absent;
    }
    /// The cell of a column without the blanks around it.
    [[nodiscard]] std::string_view text(std::size_t column) const;
    /// The cell of a column that the row has, with the blanks around it.
    [[nodiscard]] std::string_view whole_text(std::size_t column) const {
        return record_.fields()[columns_[column]].text;
    }

    /// The field at this index of a row that has as many fields as the header, with the blanks
    /// around it.
    [[nodiscard]] std::string_view whole_field(std::size_t place) const {
        return record_.fields()[place].text;
    }

    /// The cell as a number; nothing for an empty cell.
    /// Errors: RowError for a text that is no number, and for one that is negative or out of range.
    [[nodiscard]] std::optional<std::int64_t> amount(std::size_t column,
                                                     const AmountUnit& unit) const;
    [[nodiscard]] std::optional<sim::SimTime> seconds(std::size_t column) const;
    /// The cell as a point in time; nothing for an empty cell.
    [[nodiscard]] std::optional<sim::SimTime> instant(std::size_t column) const;
    /// The same as amount(), for a cell that must not be empty.
    [[nodiscard]] std::int64_t need_amount(std::size_t column, const AmountUnit& unit) const;

    /// Throws a RowError at the cell: `what 'cell': expected ...`.
    [[noreturn]] void fail(std::size_t column,
                           std::string_view what,
                           std::string_view expected) const;
    /// Throws a RowError at the cell with the given message.
    [[noreturn]] void fail(std::size_t column, std::string_view message) const;
    /// Throws a RowError at the beginning of the row.
    [[noreturn]] void fail_row(std::string_view message) const;

private:
    /// Switches to the separator that the header uses. Tables with an unusual separator may have
    /// quotes.
    void take_delimiter(core::CsvDialect usual);
    void find_near_misses();
    [[nodiscard]] std::optional<sim::SimTime> time(
        std::size_t column,
        std::variant<sim::SimTime, NumberFault> (*parse)(std::string_view)) const;
    [[nodiscard]] bool next_record();
    void join_lines();
    /// Copies the row's text into this object, so that the next line can be read.
    void keep_row();
    void check_length() const;
    [[noreturn]] void fail_at(std::size_t begin,
                              std::size_t length,
                              std::string_view message) const;

    LineReader lines_;
    core::CsvRecord record_;
    std::vector<std::string> header_;
    std::vector<core::CsvColumn> wanted_;
    std::vector<std::size_t> places_;   ///< For each column, the index of its field in the header.
    std::vector<std::size_t> columns_;  ///< For each column, the index of its field in the current
                                        ///< row.
    bool peeked_ = false;               ///< Whether the line at hand follows the row.
    core::CsvRecord peeked_record_;
    std::vector<std::string> near_misses_;
    std::vector<std::string> separator_notes_;
    std::size_t field_count_ = 0;
    std::string_view row_;
    std::string joined_;  ///< The text of a row of several lines.
    std::uint64_t first_line_ = 0;
};

}  // namespace berth::workloads

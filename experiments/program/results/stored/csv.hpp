#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/csv_record.hpp"

namespace berth::report {

/// Reads a CSV table with a header, one record at a time: RFC 4180, LF or CRLF, a byte order mark
/// and empty lines skipped. Quoted fields may hold commas, quotes and line breaks.
///
/// Errors: core::InputError with file:line:column for a record of the wrong length, an open quote,
///         a number that is none, a column that is missing. std::system_error when the file cannot
///         be read.
/// Cost:   one record in memory.
class CsvReader {
public:
    /// Reads the table in whichever form it is stored (results/stored/stored_table.hpp).
    explicit CsvReader(const std::filesystem::path& path);
    /// `name` stands for the file in messages; `in` must outlive the reader.
    CsvReader(std::istream& in, std::string name);
    /// It stays where it is: the fields of a record are views into the record.
    CsvReader(const CsvReader&) = delete;
    CsvReader& operator=(const CsvReader&) = delete;

    [[nodiscard]] const std::vector<std::string>& header() const { return header_; }
    /// The place of a column, or an InputError that names it.
    [[nodiscard]] std::size_t column(std::string_view name) const;
    /// The places of several, in their order.
    template <class... Names>
    [[nodiscard]] std::array<std::size_t, sizeof...(Names)> columns(Names... names) const {
        return {column(names)...};
    }
    [[nodiscard]] std::optional<std::size_t> find_column(std::string_view name) const;

    /// Moves to the next record; false at the end.
    [[nodiscard]] bool next();
    /// The field of the current record, unquoted, until the column is asked for again.
    [[nodiscard]] const std::string& field(std::size_t column) const {
        return fields_[column].assign(splitter_.fields()[column].text);
    }
    /// The field as a finite number; nothing when it is empty.
    [[nodiscard]] std::optional<double> number(std::size_t column) const;
    /// The field as a number, which must be there.
    [[nodiscard]] double required_number(std::size_t column) const;
    /// The field as a whole number of at least `least`, which must be there.
    [[nodiscard]] std::int64_t whole(std::size_t column, std::int64_t least = INT64_MIN) const;
    /// Throws InputError at a field of the current record.
    [[noreturn]] void fail(std::size_t column, const std::string& message) const;

private:
    void read_header();
    bool read_record();
    bool read_line(std::string& line);
    [[noreturn]] void fail_at(std::size_t offset, const std::string& message) const;

    std::unique_ptr<std::istream> owned_;
    std::istream* in_;
    std::string name_;
    std::vector<std::string> header_;
    mutable std::vector<std::string>
        fields_;  ///< Of the current record, those that were asked for.
    core::CsvRecord splitter_;
    std::string record_;
    int line_ = 0;         ///< Lines read so far.
    int record_line_ = 0;  ///< The line at which the current record starts.
};

}  // namespace berth::report

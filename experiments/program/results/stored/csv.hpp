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

/// Reads a CSV table with a header, one record at a time, as in RFC 4180. Lines end in LF or CRLF;
/// a byte order mark and empty lines are skipped. Quoted fields may contain commas, quotes and line
/// breaks.
///
/// Errors: core::InputError with file:line:column for a record of the wrong length, an open quote,
///         a malformed number, or a missing column. std::system_error if the file cannot be read.
/// Cost:   one record in memory.
class CsvReader {
public:
    /// Reads the table in whichever form it is stored (results/stored/stored_table.hpp).
    explicit CsvReader(const std::filesystem::path& path);
    /// `name` stands for the file in messages; `in` must outlive the reader.
    CsvReader(std::istream& in, std::string name);
    /// The reader cannot be copied or moved: the fields of a record are views into it.
    CsvReader(const CsvReader&) = delete;
    CsvReader& operator=(const CsvReader&) = delete;

    [[nodiscard]] const std::vector<std::string>& header() const { return header_; }
    /// The place of a column. Throws an InputError that names the column if it is missing.
    [[nodiscard]] std::size_t column(std::string_view name) const;
    /// The places of several columns, in the order of the arguments.
    template <class... Names>
    [[nodiscard]] std::array<std::size_t, sizeof...(Names)> columns(Names... names) const {
        return {column(names)...};
    }
    [[nodiscard]] std::optional<std::size_t> find_column(std::string_view name) const;

    /// Moves to the next record; false at the end.
    [[nodiscard]] bool next();
    /// A field of the current record, unquoted. The reference is valid until the same column is
    /// read again.
    [[nodiscard]] const std::string& field(std::size_t column) const {
        return fields_[column].assign(splitter_.fields()[column].text);
    }
    /// The field as a number of at most 1e100; nothing if it is empty.
    [[nodiscard]] std::optional<double> number(std::size_t column) const;
    /// The field as a number, which must not be missing.
    [[nodiscard]] double required_number(std::size_t column) const;
    /// The field as a whole number of at least `least`, which must not be missing.
    [[nodiscard]] std::int64_t whole(std::size_t column, std::int64_t least = INT64_MIN) const;
    /// Throws an InputError at a field of the current record.
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
        fields_;  ///< Fields of the current record that have been read.
    core::CsvRecord splitter_;
    std::string record_;
    int line_ = 0;         ///< The number of lines read so far.
    int record_line_ = 0;  ///< The line at which the current record starts.
};

}  // namespace berth::report

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::core {

/// What separates the fields of a record, and whether fields may be quoted.
struct CsvDialect {
    char delimiter = ',';
    bool quotes = true;
};

/// A field of a record, without its quotes.
struct CsvField {
    std::string_view text;
    std::size_t begin = 0;   ///< Of the record's bytes, where the field or its quote begins.
    std::size_t length = 0;  ///< As written.
};

/// What is wrong with a record, and at which of its bytes.
struct CsvFault {
    std::size_t at = 0;
    std::string_view message;
};

/// Splits records into fields: one object for all records of a text, so that nothing is allocated.
///
/// Source: RFC 4180. A quote that does not begin its field is an ordinary letter, as in most
///         readers.
class CsvRecord {
public:
    explicit CsvRecord(CsvDialect dialect = {}) : dialect_(dialect) {}

    /// Splits `record`, which has no line end of its own; fields() hold until the next call, and
    /// as long as `record` does.
    [[nodiscard]] std::optional<CsvFault> split(std::string_view record);
    [[nodiscard]] std::span<const CsvField> fields() const { return fields_; }

    /// Whether a line ends inside quotes, so that its record goes on in the next line; `inside`
    /// says the same of the line before.
    [[nodiscard]] bool ends_inside_quotes(std::string_view line, bool inside) const;

private:
    void split_plain(std::string_view record);
    std::optional<CsvFault> split_quoted(std::string_view record);
    /// The end of the quoted field that begins at `begin`, behind its last quote.
    std::optional<std::size_t> read_quoted(std::string_view record, std::size_t begin);

    CsvDialect dialect_;
    std::vector<CsvField> fields_;
    std::string decoded_;  ///< Fields with doubled quotes; as large as their record beforehand.
};

/// A column that a reader looks for by its name.
struct CsvColumn {
    std::string_view name;
    bool required = true;
};

/// The positions of the columns that a header names.
struct CsvColumns {
    static constexpr std::size_t absent = static_cast<std::size_t>(-1);

    std::vector<std::size_t> at;  ///< By column looked for: the field of each record, or `absent`.
    std::optional<std::size_t> wrong_at;  ///< Where the header is wrong, if it is.
    std::string message;                  ///< What is wrong there.
};

/// Finds columns in a header; others are allowed and left out.
/// Errors: a required column that is missing, and a column that occurs twice.
[[nodiscard]] CsvColumns find_columns(std::span<const CsvField> header,
                                      std::span<const CsvColumn> wanted);

/// Without the spaces and tabs around it.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// A field as it is written: quoted if it contains a comma, a quote or a line end (RFC 4180).
[[nodiscard]] std::string csv_field(std::string_view text);

}  // namespace berth::core

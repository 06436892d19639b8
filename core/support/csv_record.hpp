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
    std::size_t begin = 0;   ///< The byte of the record at which the field, or its quote, begins.
    std::size_t length = 0;  ///< The number of bytes as written, with quotes.
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

    /// Splits `record`, which has no line end of its own. fields() are valid until the next call,
    /// and only as long as `record` is.
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
    /// The text of fields with doubled quotes. It is made as large as the record in advance.
    std::string decoded_;
};

/// A column that a reader looks for by its name.
struct CsvColumn {
    std::string_view name;
    bool required = true;
};

/// The positions of the columns that a header names.
struct CsvColumns {
    static constexpr std::size_t absent = static_cast<std::size_t>(-1);

    /// For each wanted column: its position among the fields of a record, or `absent`.
    std::vector<std::size_t> at;
    std::optional<std::size_t> wrong_at;  ///< The field of the header that is wrong, if one is.
    std::string message;                  ///< Says what is wrong with that field.
};

/// Finds the wanted columns in a header. Other columns are allowed and ignored.
/// Errors: a required column that is missing, and a column that occurs twice.
[[nodiscard]] CsvColumns find_columns(std::span<const CsvField> header,
                                      std::span<const CsvColumn> wanted);

/// The text without the spaces and tabs around it.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// A field as it is written: quoted if it contains a comma, a quote or a line end (RFC 4180).
[[nodiscard]] std::string csv_field(std::string_view text);

}  // namespace berth::core

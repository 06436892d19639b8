#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace berth::workloads {

/// The fields of a line of SWF.
///
/// Real files have more than the format allows, and all of it is kept apart from the 18 fields:
/// further fields, a comment behind ';', and braces around the line, with or without commas. A text
/// in braces within a line is one field, including its blanks.
class SwfLine {
public:
    static constexpr std::size_t field_count = 18;
    struct Place {
        std::size_t begin = 0;  ///< Offset in the line, in bytes.
        std::size_t length = 0;
    };

    /// Splits a line. The line must stay valid as long as text() is called.
    void split(std::string_view line);
    /// The number of fields in the line, also beyond the 18th; 0: the line is empty or a comment.
    [[nodiscard]] std::size_t count() const { return count_; }
    [[nodiscard]] bool is_braced() const { return braced_; }
    /// The place of one of the first 18 fields, which the line must have.
    [[nodiscard]] const Place& place(std::size_t field) const { return fields_[field]; }
    [[nodiscard]] std::string_view text(std::size_t field) const {
        return line_.substr(fields_[field].begin, fields_[field].length);
    }

private:
    void split_plain(std::string_view line, std::size_t at);
    void split_braced(std::size_t begin, std::size_t end);
    void add(std::size_t begin, std::size_t end);

    std::string_view line_;
    std::array<Place, field_count> fields_{};
    std::size_t count_ = 0;
    bool braced_ = false;
};

}  // namespace berth::workloads

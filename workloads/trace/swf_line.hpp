#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace berth::workloads {

/// The fields of a line of SWF.
///
/// Files in the world have more than the format allows, and all of it is kept apart from the 18
/// fields: further fields, a comment behind ';', braces around the line with commas or without.
/// What stands in braces within a line is one field, blanks and all.
class SwfLine {
public:
    static constexpr std::size_t field_count = 18;
    struct Place {
        std::size_t begin = 0;  ///< In bytes of the line.
        std::size_t length = 0;
    };

    /// Splits a line, which must last as long as text() is asked for.
    void split(std::string_view line);
    /// How many fields the line has, also beyond the 18th; 0: it is empty, or a comment.
    [[nodiscard]] std::size_t count() const { return count_; }
    [[nodiscard]] bool is_braced() const { return braced_; }
    /// Of one of the first 18 fields, and of those that the line has.
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

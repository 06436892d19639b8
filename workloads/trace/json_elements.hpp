#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/trace/line_reader.hpp"
#include "workloads/trace/text_blocks.hpp"

namespace berth::workloads {

/// Reads the elements of a large JSON text one by one: those of a list, those of one list of an
/// object, `items` or another, or objects one behind the other. Anything else is passed over;
/// whether an element is valid JSON is for its reader to find out.
///
/// Cost: memory for the largest element.
class JsonElements {
public:
    explicit JsonElements(TextBlocks blocks,
                          std::string_view list = "items",
                          std::size_t element_bytes_max = row_bytes_max);

    /// Goes to the next element. Returns false after the last.
    /// Errors: CutShort: the text ends within an element or a list.
    [[nodiscard]] bool next();
    /// The element; of one that is too long, the beginning. Until the next call.
    [[nodiscard]] std::string_view text() const { return element_; }
    [[nodiscard]] bool too_long() const { return too_long_; }
    /// Where the element begins, from 1.
    [[nodiscard]] std::uint64_t line() const { return line_; }
    [[nodiscard]] std::size_t column() const { return column_; }
    [[nodiscard]] const std::string& file() const { return blocks_.file(); }
    [[nodiscard]] std::size_t element_bytes_max() const { return element_bytes_max_; }

private:
    enum class Where : std::uint8_t { top, list, items };
    enum class Found : std::uint8_t { element, items };

    /// The next byte, which stays; -1 at the end of the text.
    int peek();
    /// Passes over bytes, and keeps those of the element if `keep`.
    void take(std::size_t count, bool keep);
    /// Reads an object or a list to its end, or to the `[` of the object's list.
    Found read_container(std::size_t depth, bool keep);
    /// Passes over the string that begins here; all of it, over the ends of blocks.
    void take_string(bool keep);
    void read_scalar();
    [[nodiscard]] bool items_begin() const;
    [[noreturn]] void fail_cut(std::string_view message) const;

    TextBlocks blocks_;
    std::string list_;  ///< The key of an object's list, in quotes.
    std::size_t element_bytes_max_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    bool started_ = false;
    Where where_ = Where::top;
    std::string element_;
    bool too_long_ = false;
    std::uint64_t line_ = 1;     ///< Of the element.
    std::size_t column_ = 1;     ///< The same.
    std::uint64_t at_line_ = 1;  ///< Of the next byte.
    std::size_t at_column_ = 1;
};

}  // namespace berth::workloads

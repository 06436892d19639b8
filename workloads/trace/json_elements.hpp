#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/trace/line_reader.hpp"
#include "workloads/trace/text_blocks.hpp"

namespace berth::workloads {

/// Reads the elements of a large JSON text one by one: the elements of a list, or of one list in an
/// object (`items` or another), or objects one behind the other. Everything else is skipped. The
/// reader of an element has to check that it is valid JSON.
///
/// Cost: memory for the largest element.
class JsonElements {
public:
    explicit JsonElements(TextBlocks blocks,
                          std::string_view list = "items",
                          std::size_t element_bytes_max = row_bytes_max);

    /// Goes to the next element. Returns false after the last.
    /// Errors: CutShort if the text ends within an element or a list.
    [[nodiscard]] bool next();
    /// The element, or the beginning of one that is too long; valid until the next call.
    [[nodiscard]] std::string_view text() const { return element_; }
    [[nodiscard]] bool too_long() const { return too_long_; }
    /// Line on which the element begins, from 1.
    [[nodiscard]] std::uint64_t line() const { return line_; }
    [[nodiscard]] std::size_t column() const { return column_; }
    [[nodiscard]] const std::string& file() const { return blocks_.file(); }
    [[nodiscard]] std::size_t element_bytes_max() const { return element_bytes_max_; }

private:
    enum class Where : std::uint8_t { top, list, items };
    enum class Found : std::uint8_t { element, items };

    /// The next byte, without taking it; -1 at the end of the text.
    int peek();
    /// Skips bytes, and adds them to the element if `keep` is set.
    void take(std::size_t count, bool keep);
    /// Reads an object or a list to its end, or to the `[` that opens the object's list.
    Found read_container(std::size_t depth, bool keep);
    /// Skips the string that begins here, also across the ends of blocks.
    void take_string(bool keep);
    void read_scalar();
    [[nodiscard]] bool items_begin() const;
    [[noreturn]] void fail_cut(std::string_view message) const;

    TextBlocks blocks_;
    std::string list_;  ///< Key of the list in an object, in quotes.
    std::size_t element_bytes_max_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    bool started_ = false;
    Where where_ = Where::top;
    std::string element_;
    bool too_long_ = false;
    std::uint64_t line_ = 1;     ///< Line on which the element begins.
    std::size_t column_ = 1;     ///< Column at which the element begins.
    std::uint64_t at_line_ = 1;  ///< Line of the next byte.
    std::size_t at_column_ = 1;
};

}  // namespace berth::workloads

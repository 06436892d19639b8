#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "workloads/trace/text_blocks.hpp"

namespace berth::workloads {

/// The longest line, and the longest record, of a trace.
inline constexpr std::size_t row_bytes_max = std::size_t{16} << 20U;

/// Reads a text line by line. Lines end with LF or CRLF; the last line may lack its end.
/// Cost: memory for one block, or for the longest line so far.
class LineReader {
public:
    explicit LineReader(TextBlocks blocks, std::size_t line_bytes_max = row_bytes_max);

    /// Goes to the next line. Returns false after the last.
    [[nodiscard]] bool next();
    /// The line without its line end, or the beginning of one that is too long; valid until the
    /// next call.
    [[nodiscard]] std::string_view line() const { return line_; }
    /// Whether the line is too long; the rest of it was skipped.
    [[nodiscard]] bool too_long() const { return too_long_; }
    /// Whether the text ends with this line, which then has no line end.
    [[nodiscard]] bool cut() const { return cut_; }
    /// Number of the line, from 1; 0 before the first.
    [[nodiscard]] std::uint64_t number() const { return number_; }
    [[nodiscard]] const std::string& file() const { return blocks_.file(); }
    [[nodiscard]] std::size_t line_bytes_max() const { return line_bytes_max_; }

private:
    /// Reads more text behind `end_`. Returns false at the end of the text.
    bool fill();
    void pass_over_rest();

    TextBlocks blocks_;
    std::size_t line_bytes_max_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0;  ///< Where the text begins that has not been returned yet.
    std::size_t end_ = 0;
    std::string_view line_;
    std::uint64_t number_ = 0;
    bool too_long_ = false;
    bool rest_follows_ = false;  ///< Whether the rest of a line that is too long goes on at begin_.
    bool ended_ = false;
    bool cut_ = false;
};

}  // namespace berth::workloads

#pragma once

#include <cstddef>
#include <istream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace berth::workloads {

/// What separates the columns of a table: of `,`, `;`, tab and `|`, the one that cuts its header
/// into the most names. Where several cut equally often, or none does, it is `usual`.
[[nodiscard]] char delimiter_of(std::string_view header, char usual);

/// The names in a header, without quotes and blanks around them.
[[nodiscard]] std::vector<std::string> names_in(std::string_view header, char delimiter);

/// For messages: `';'`, `tabs`.
[[nodiscard]] std::string described_delimiter(char delimiter);

/// A trace's text, a block at a time.
class TextBlocks {
public:
    TextBlocks(std::unique_ptr<std::istream> in, std::string file)
        : in_(std::move(in)), file_(std::move(file)) {}

    /// Fills up to `size` bytes at `to`. Returns how many; 0 at the end alone.
    /// Errors: CutShort, naming the file, when the stream fails: a compressed file that is damaged
    ///         or does not go on, a file that cannot be read.
    [[nodiscard]] std::size_t read(char* to, std::size_t size);
    /// Whether the next byte is this one. Of a stream that fails it is not; read() says why.
    [[nodiscard]] bool begins_with(char c);
    [[nodiscard]] const std::string& file() const { return file_; }

private:
    [[nodiscard]] std::string unreadable(std::string_view why) const;

    std::unique_ptr<std::istream> in_;
    std::string file_;
    std::string failure_;  ///< What to say of the stream, once it failed.
};

}  // namespace berth::workloads

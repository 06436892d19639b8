#pragma once

#include <cstddef>
#include <istream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace berth::workloads {

/// The separator of a table's columns: the one of `,`, `;`, tab and `|` that splits its header into
/// the most names; `usual` if several split it equally often or none splits it.
[[nodiscard]] char delimiter_of(std::string_view header, char usual);

/// The names in a header, without the quotes and blanks around them.
[[nodiscard]] std::vector<std::string> names_in(std::string_view header, char delimiter);

/// The separator as messages describe it: `';'` or `tabs`.
[[nodiscard]] std::string described_delimiter(char delimiter);

/// The text of a trace, one block at a time.
class TextBlocks {
public:
    TextBlocks(std::unique_ptr<std::istream> in, std::string file)
        : in_(std::move(in)), file_(std::move(file)) {}

    /// Fills up to `size` bytes at `to`. Returns how many it filled; 0 only at the end.
    /// Errors: CutShort, naming the file, when the stream fails: for a compressed file that is
    ///         damaged or cut short, and for a file that cannot be read.
    [[nodiscard]] std::size_t read(char* to, std::size_t size);
    /// Whether the next byte is `c`. False for a stream that fails; read() then says why.
    [[nodiscard]] bool begins_with(char c);
    [[nodiscard]] const std::string& file() const { return file_; }
    /// Whether any byte so far was beyond ASCII. It stays that of this text when the text is moved.
    [[nodiscard]] std::shared_ptr<const bool> beyond_ascii() const { return beyond_ascii_; }

private:
    [[nodiscard]] std::string unreadable(std::string_view why) const;

    std::unique_ptr<std::istream> in_;
    std::string file_;
    std::shared_ptr<bool> beyond_ascii_ = std::make_shared<bool>(false);
    std::string failure_;  ///< The message about the stream, once it has failed.
};

}  // namespace berth::workloads

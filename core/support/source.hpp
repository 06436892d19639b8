#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace berth::core {

/// A text that a person wrote, kept as long as anything points into it.
struct SourceText {
    std::string
        name;  ///< The file's path as the user gave it, or `-`, or an option such as `--set`.
    std::string text;
    /// Whether messages may show the text. They may not for a file that is not a document, since
    /// the reader of a message may have no right to read the file.
    bool may_be_shown = true;
};

/// The place of a value in a text. Lines and columns count from 1, columns in bytes; line 0 means
/// the text as a whole.
struct SourceSpan {
    std::shared_ptr<const SourceText> source;
    int line = 0;
    int column = 0;
    int length = 1;
};

/// Makes the message for one place:
///   sweep.yaml:7:10: error: unknown queue policy 'shortest': expected fifo
///     queueSort: shortest
///                ^~~~~~~~
/// `severity` is `error` or `warning`. Ends without a newline.
[[nodiscard]] std::string render(const SourceSpan& span,
                                 std::string_view severity,
                                 std::string_view message);

/// Messages that have several lines on purpose: one that shows the line that it is about, or more
/// than one message.
struct MessageLines {
    std::string text;
};

/// An input that cannot be used as written: a file, an option, a request. what() holds all
/// messages, one or more lines each, in the order of the text.
class InputError : public std::runtime_error {
public:
    /// A message of one line. Line breaks in the user's texts that it quotes become `\n`.
    explicit InputError(std::string_view message);
    explicit InputError(const MessageLines& message) : std::runtime_error(message.text) {}
    InputError(const SourceSpan& span, std::string_view message)
        : InputError(MessageLines{render(span, "error", message)}) {}
};

/// Collects what is wrong with an input, so that a person sees up to 20 errors at once.
class Diagnostics {
public:
    void error(const SourceSpan& span, std::string_view message);
    void warning(const SourceSpan& span, std::string_view message);
    [[nodiscard]] bool failed() const { return error_count_ > 0; }
    [[nodiscard]] std::size_t error_count() const { return error_count_; }
    [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
    /// Throws InputError with every message so far if there is one.
    void throw_if_failed() const;

    static constexpr std::size_t errors_shown_max = 20;

private:
    std::vector<std::string> errors_;
    std::vector<std::string> warnings_;
    std::size_t error_count_ = 0;
};

/// The candidate nearest to `wanted` by edit distance, or "" when none is near (more than a third
/// of its length away). Ties go to the earlier candidate.
[[nodiscard]] std::string nearest(std::string_view wanted,
                                  const std::vector<std::string>& candidates);

/// ` (did you mean 'x'?)`, with up to three names that it is short for; "" when nothing is near.
[[nodiscard]] std::string suggestion(std::string_view wanted,
                                     const std::vector<std::string>& candidates);

}  // namespace berth::core

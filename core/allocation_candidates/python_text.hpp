#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Text as Python 3.11 reads and shows it, as far as this decides which queries the service
/// accepts.
/// Source: the Python Language Reference and Library, "Built-in Types" and "Built-in Functions";
///         Unicode 14.0.
namespace berth::core {

/// How many bytes at the front of the text are valid UTF-8.
[[nodiscard]] std::size_t utf8_size(std::string_view text);

/// `str.strip()`: the text without the whitespace around it, in any script.
///
/// Errors: a text that is not UTF-8 is a bug of the caller and aborts, here and below.
[[nodiscard]] std::string_view python_strip(std::string_view text);

/// `str.split(separator)`: the parts between separators, always at least one.
[[nodiscard]] std::vector<std::string_view> python_split(std::string_view text, char separator);

/// A whole number of any size.
struct PythonInteger {
    std::string digits;     ///< ASCII digits without leading zeros.
    bool negative = false;  ///< Never true for zero.

    [[nodiscard]] bool is_positive() const { return !negative && digits != "0"; }
    [[nodiscard]] std::string text() const { return negative ? "-" + digits : digits; }
    /// The number without its sign. A number that is too large becomes the largest possible one.
    [[nodiscard]] std::uint64_t magnitude() const;
};

/// `int()`: a sign, then decimal digits of any script, at most 4300, with single underscores
/// between them, and whitespace around it all.
///
/// Returns: nothing if `int()` raises ValueError.
[[nodiscard]] std::optional<PythonInteger> python_integer(std::string_view text);

/// `repr()` of a str: quoted, with escapes for quotes, controls and whitespace.
/// Limits: other characters that Python does not print, such as unassigned ones, are not escaped.
[[nodiscard]] std::string python_repr(std::string_view text);
/// `repr()` of a list of str.
[[nodiscard]] std::string python_repr(std::span<const std::string> texts);

}  // namespace berth::core

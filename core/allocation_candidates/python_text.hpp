#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Text as Python 3.11 reads and shows it, as far as that decides which queries the service takes.
/// Source: the Python Language Reference and Library, "Built-in Types" and "Built-in Functions";
///         Unicode 14.0.
namespace berth::core {

/// How many bytes from the front on are UTF-8.
[[nodiscard]] std::size_t utf8_size(std::string_view text);

/// `str.strip()`: without the whitespace around it, in any script.
///
/// Errors: what is no UTF-8 is a caller's bug and aborts, here and below.
[[nodiscard]] std::string_view python_strip(std::string_view text);

/// `str.split(separator)`: the parts between separators, always one at least.
[[nodiscard]] std::vector<std::string_view> python_split(std::string_view text, char separator);

/// A whole number of any size.
struct PythonInteger {
    std::string digits;     ///< Of ASCII, without zeros in front.
    bool negative = false;  ///< Of zero never.

    [[nodiscard]] bool is_positive() const { return !negative && digits != "0"; }
    [[nodiscard]] std::string text() const { return negative ? "-" + digits : digits; }
    /// Without its sign; a number too large becomes the largest there is.
    [[nodiscard]] std::uint64_t magnitude() const;
};

/// `int()`: a sign, then decimal digits of any script, at most 4300, with single underscores
/// between them; whitespace around it all.
///
/// Returns: nothing where `int()` raises ValueError.
[[nodiscard]] std::optional<PythonInteger> python_integer(std::string_view text);

/// `repr()` of a str: quoted, with escapes for quotes, controls and whitespace.
/// Limits: other characters that Python does not print, such as unassigned ones, stay.
[[nodiscard]] std::string python_repr(std::string_view text);
/// `repr()` of a list of str.
[[nodiscard]] std::string python_repr(std::span<const std::string> texts);

}  // namespace berth::core

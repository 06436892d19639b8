#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace berth::experiments {

/// A text as a terminal may show it: bytes that would steer the terminal, and those that are not
/// UTF-8, as `\xNN`. Line breaks and tabs stay.
[[nodiscard]] std::string plain_text(std::string_view text);

/// Where a text stops being UTF-8, in bytes from 0 (RFC 3629); nothing where it does not.
[[nodiscard]] std::optional<std::size_t> broken_utf8(std::string_view text);

}  // namespace berth::experiments

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace berth::experiments {

/// A text that is safe to show on a terminal: bytes that would control the terminal, and those that
/// are not UTF-8, become `\xNN`. Line breaks and tabs stay.
[[nodiscard]] std::string plain_text(std::string_view text);

/// The offset in bytes, from 0, at which a text stops being UTF-8 (RFC 3629); nothing if all of it
/// is.
[[nodiscard]] std::optional<std::size_t> broken_utf8(std::string_view text);

}  // namespace berth::experiments

#pragma once

#include <string>
#include <string_view>

namespace berth::experiments {

/// A text as a terminal may show it: bytes that would steer the terminal, and those that are not
/// UTF-8, as `\xNN`. Line breaks and tabs stay.
[[nodiscard]] std::string plain_text(std::string_view text);

}  // namespace berth::experiments

#pragma once

#include <fmt/format.h>
#include <string>
#include <string_view>

namespace berth::core::kueue {

/// A text as Kueue quotes it in messages. Call it as kueue::quoted: with a std::string, quoted
/// alone could also mean std::quoted wherever <iomanip> is included.
[[nodiscard]] inline std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
        } else {
            out += c;
        }
    }
    return out + "\"";
}

}  // namespace berth::core::kueue

#pragma once

#include <fmt/format.h>
#include <string>
#include <string_view>

namespace berth::core::kueue {

/// A text as Kueue quotes it in messages. Call it as kueue::quoted: of a std::string, quoted alone
/// would be std::quoted as well wherever <iomanip> is read.
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

#include "experiments/program/support/plain_text.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace berth::experiments {
namespace {

constexpr bool is_between(unsigned char byte, unsigned from, unsigned to) {
    return byte >= from && byte <= to;
}

/// The number of bytes of the character at the beginning of `text` (RFC 3629, section 4); 0 if it
/// does not begin with a character.
std::size_t character_length(std::string_view text) {
    const auto at = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i])
                               : static_cast<unsigned char>(0);
    };
    const auto goes_on = [&](std::size_t i) { return is_between(at(i), 0x80, 0xBF); };
    const unsigned char first = at(0);
    if (first < 0x80) {
        return 1;
    }
    if (is_between(first, 0xC2, 0xDF)) {
        return goes_on(1) ? 2 : 0;
    }
    if (is_between(first, 0xE0, 0xEF)) {
        const bool second =
            is_between(at(1), first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF);
        return second && goes_on(2) ? 3 : 0;
    }
    if (is_between(first, 0xF0, 0xF4)) {
        const bool second =
            is_between(at(1), first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF);
        return second && goes_on(2) && goes_on(3) ? 4 : 0;
    }
    return 0;
}

/// Whether a character is a control character that terminals obey: C0, DEL or C1.
bool steers(std::string_view character) {
    const auto first = static_cast<unsigned char>(character[0]);
    return (first < 0x20 && first != '\n' && first != '\t') || first == 0x7F ||
           (first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0);
}

}  // namespace

std::string plain_text(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = character_length(text);
        if (length > 0 && !steers(text.substr(0, length))) {
            out += text.substr(0, length);
            text.remove_prefix(length);
        } else {
            for (std::size_t i = 0; i < (length > 0 ? length : 1); ++i) {
                out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[i]));
            }
            text.remove_prefix(length > 0 ? length : 1);
        }
    }
    return out;
}

std::optional<std::size_t> broken_utf8(std::string_view text) {
    constexpr std::uint64_t beyond_ascii = 0x8080808080808080U;  // the high bit of eight bytes
    for (std::size_t at = 0; at < text.size();) {
        std::uint64_t eight = beyond_ascii;
        if (at + sizeof eight <= text.size()) {
            std::memcpy(&eight, text.data() + at, sizeof eight);
        }
        if ((eight & beyond_ascii) == 0) {
            at += sizeof eight;
            continue;
        }
        const std::size_t length =
            static_cast<unsigned char>(text[at]) < 0x80 ? 1 : character_length(text.substr(at));
        if (length == 0) {
            return at;
        }
        at += length;
    }
    return std::nullopt;
}

}  // namespace berth::experiments

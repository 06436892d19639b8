#include "core/allocation_candidates/python_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "core/support/assert.hpp"
#include "core/support/parse_number.hpp"

namespace berth::core {
namespace {

/// A character and the number of bytes that it takes in UTF-8.
struct Utf8Character {
    char32_t value = 0;
    std::size_t size = 0;
};

/// The character at the front of a text that is not empty.
std::optional<Utf8Character> front_character(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned lead = byte(0);
    if (lead < 0x80) {
        return Utf8Character{lead, 1};
    }
    const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC0 || lead >= 0xF8 || text.size() < size) {
        return std::nullopt;
    }
    char32_t value = lead & (0x7FU >> size);
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xC0U) != 0x80) {
            return std::nullopt;
        }
        value = value << 6U | (byte(i) & 0x3FU);
    }
    static constexpr std::array<char32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
    const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
    if (value < least[size] || value > 0x10FFFF || is_surrogate) {
        return std::nullopt;
    }
    return Utf8Character{value, size};
}

/// Calls `use` with each character and its position.
template <class Use>
void for_each_character(std::string_view text, const Use& use) {
    for (std::size_t at = 0; at < text.size();) {
        const auto character = front_character(text.substr(at));
        BERTH_ASSERT(character, "text is UTF-8");
        use(*character, at);
        at += character->size;
    }
}

bool is_space(char32_t c) {
    return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 ||
           c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
           c == 0x202F || c == 0x205F || c == 0x3000;
}

/// The value of a decimal digit of any script.
std::optional<int> decimal_value(char32_t c) {
    // The zeros of Unicode 14.0 (general category Nd); one to nine follow each.
    static constexpr std::array<char32_t, 66> zeros{
        0x30,    0x660,   0x6F0,   0x7C0,   0x966,   0x9E6,   0xA66,   0xAE6,   0xB66,   0xBE6,
        0xC66,   0xCE6,   0xD66,   0xDE6,   0xE50,   0xED0,   0xF20,   0x1040,  0x1090,  0x17E0,
        0x1810,  0x1946,  0x19D0,  0x1A80,  0x1A90,  0x1B50,  0x1BB0,  0x1C40,  0x1C50,  0xA620,
        0xA8D0,  0xA900,  0xA9D0,  0xA9F0,  0xAA50,  0xABF0,  0xFF10,  0x104A0, 0x10D30, 0x11066,
        0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650, 0x116C0, 0x11730, 0x118E0,
        0x11950, 0x11C50, 0x11D50, 0x11DA0, 0x16A60, 0x16AC0, 0x16B50, 0x1D7CE, 0x1D7D8, 0x1D7E2,
        0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E950, 0x1FBF0};
    const auto above = std::ranges::upper_bound(zeros, c);
    if (above == zeros.begin() || c - *(above - 1) > 9) {
        return std::nullopt;
    }
    return static_cast<int>(c - *(above - 1));
}

/// The text with ASCII in place of whitespace and digits of other scripts; nothing if it has
/// anything else beyond ASCII.
std::optional<std::string> as_ascii(std::string_view text) {
    std::optional<std::string> ascii(std::in_place);
    for_each_character(text, [&](const Utf8Character& c, std::size_t /*at*/) {
        if (!ascii) {
            return;
        }
        if (c.value < 0x80) {
            *ascii += static_cast<char>(c.value);
        } else if (is_space(c.value)) {
            *ascii += ' ';
        } else if (const auto digit = decimal_value(c.value)) {
            *ascii += static_cast<char>('0' + *digit);
        } else {
            ascii.reset();
        }
    });
    return ascii;
}

}  // namespace

std::size_t utf8_size(std::string_view text) {
    std::size_t size = 0;
    while (size < text.size()) {
        const auto character = front_character(text.substr(size));
        if (!character) {
            break;
        }
        size += character->size;
    }
    return size;
}

std::string_view python_strip(std::string_view text) {
    std::size_t begin = text.size();
    std::size_t end = text.size();
    for_each_character(text, [&](const Utf8Character& c, std::size_t at) {
        if (!is_space(c.value)) {
            begin = std::min(begin, at);
            end = at + c.size;
        }
    });
    return text.substr(begin, end - begin);
}

std::vector<std::string_view> python_split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) {
            return parts;
        }
        text.remove_prefix(end + 1);
    }
}

std::uint64_t PythonInteger::magnitude() const {
    return parse_number<std::uint64_t>(digits).value_or(std::numeric_limits<std::uint64_t>::max());
}

std::optional<PythonInteger> python_integer(std::string_view text) {
    constexpr std::size_t digits_max = 4300;
    // These are fewer than strip() removes: int() does not know the separators 0x1C to 0x1F.
    constexpr std::string_view spaces = " \t\n\v\f\r";
    const auto ascii = as_ascii(text);
    if (!ascii || ascii->find_first_not_of(spaces) == std::string::npos) {
        return std::nullopt;
    }
    std::string_view rest = *ascii;
    rest = rest.substr(0, rest.find_last_not_of(spaces) + 1);
    rest.remove_prefix(rest.find_first_not_of(spaces));
    PythonInteger number{.digits = {}, .negative = rest.front() == '-'};
    if (rest.front() == '-' || rest.front() == '+') {
        rest.remove_prefix(1);
    }
    bool after_digit = false;
    for (const char c : rest) {
        const bool is_digit = c >= '0' && c <= '9';
        if (!is_digit && !(c == '_' && after_digit)) {
            return std::nullopt;
        }
        if (is_digit) {
            number.digits += c;
        }
        after_digit = is_digit;
    }
    if (!after_digit || number.digits.size() > digits_max) {
        return std::nullopt;
    }
    number.digits.erase(0,
                        std::min(number.digits.find_first_not_of('0'), number.digits.size() - 1));
    number.negative = number.negative && number.digits != "0";
    return number;
}

std::string python_repr(std::string_view text) {
    const bool single = text.find('\'') == std::string_view::npos;
    const char quote = single || text.find('"') != std::string_view::npos ? '\'' : '"';
    std::string out(1, quote);
    for_each_character(text, [&](const Utf8Character& c, std::size_t at) {
        constexpr std::string_view named = "\t\n\r";
        const auto code = static_cast<std::uint32_t>(c.value);
        if (c.value == '\\' || c.value == static_cast<char32_t>(quote)) {
            out += {'\\', text[at]};
        } else if (const auto i = named.find(text[at]); i != std::string_view::npos) {
            out += {'\\', "tnr"[i]};
        } else if (code < 0x20 || (code >= 0x7F && code <= 0xA0)) {
            out += fmt::format("\\x{:02x}", code);
        } else if (code != ' ' && is_space(c.value)) {
            out += fmt::format("\\u{:04x}", code);
        } else {
            out += text.substr(at, c.size);
        }
    });
    out += quote;
    return out;
}

std::string python_repr(std::span<const std::string> texts) {
    std::string out = "[";
    for (const std::string& text : texts) {
        out += (out.size() > 1 ? ", " : "") + python_repr(std::string_view(text));
    }
    out += "]";
    return out;
}

}  // namespace berth::core

#include "fuzz/mutation.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::tests {
namespace {

using Part = std::pair<std::size_t, std::size_t>;  ///< Begin and length.

constexpr auto hard_words = std::to_array<std::string_view>({
    "0",
    "-1",
    "1e9",
    "1e308",
    "1e-308",
    "9223372036854775807",
    "-0",
    "1e999",
    "nan",
    "inf",
    "~",
    "18446744073709551616",
    "null",
    "true",
    "[]",
    "{}",
    "''",
    "-9223372036854775808",
    "65536",
    "0.1",
    "1Ei",
    "292y",
    "9007199254740993",
    "\"\"",
    "\xc3\xa9",
    "\xff",
    "4294967296",
    "2147483647",
    "99999999999999999999",
});

/// Amounts that fit by themselves, but whose sums do not.
constexpr auto near_bounds = std::to_array<std::string_view>({
    "9223372036854775807",
    "9223372036854775806",
    "4611686018427387904",
    "4611686018427387903",
    "2305843009213693952",
    "9223372036854775",
    "9007199254740992",
    "1000000000000000000",
    "2147483647",
    "-9223372036854775808",
    "-9223372036854775807",
    "-4611686018427387904",
});

std::size_t place(Dice& dice, const std::string& text) {
    return static_cast<std::size_t>(dice.roll(0, static_cast<std::int64_t>(text.size())));
}

template <class List>
const auto& any_of(Dice& dice, const List& list) {
    return list[static_cast<std::size_t>(
        dice.roll(0, static_cast<std::int64_t>(std::size(list)) - 1))];
}

bool in_word(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '_' || letter == '-' || letter == '.';
}

/// The word at or after a position; none at the end of the text.
Part word_at(const std::string& text, std::size_t at) {
    std::size_t begin = at;
    while (begin < text.size() && !in_word(text[begin])) {
        ++begin;
    }
    while (begin > 0 && begin < text.size() && in_word(text[begin - 1])) {
        --begin;
    }
    std::size_t end = begin;
    while (end < text.size() && in_word(text[end])) {
        ++end;
    }
    return {begin, end - begin};
}

Part line_at(const std::string& text, std::size_t at) {
    const std::size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    return {begin, end - begin};
}

void mutate_bytes(std::string& text, Dice& dice) {
    const std::size_t at = place(dice, text);
    const auto length = static_cast<std::size_t>(dice.roll(1, 20));
    switch (dice.roll(0, 5)) {
        case 0:
            if (at < text.size()) {
                text[at] = static_cast<char>(dice.roll(-128, 127));
            }
            break;
        case 1:
            text.erase(at, length);
            break;
        case 2:
            text.insert(place(dice, text), text.substr(at, length));
            break;
        case 3:
            text.insert(at, any_of(dice, hard_words));
            break;
        case 4:
            text.insert(at, 1, any_of(dice, std::string_view(",|\"\n\r;{}[]:\\.")));
            break;
        default:
            text.resize(at);
    }
}

void mutate_words(std::string& text, Dice& dice) {
    const auto [begin, length] = word_at(text, place(dice, text));
    const auto [other, other_length] = word_at(text, place(dice, text));
    switch (dice.roll(0, 2)) {
        case 0:
            text.replace(begin, length, std::string(any_of(dice, hard_words)));
            break;
        case 1:
            text.replace(begin, length, text.substr(other, other_length));
            break;
        default:
            text.erase(begin, length);
    }
}

void mutate_lines(std::string& text, Dice& dice) {
    const auto [begin, length] = line_at(text, place(dice, text));
    const std::string line = text.substr(begin, length);
    switch (dice.roll(0, 3)) {
        case 0:
            text.erase(begin, length);
            break;
        case 1:
            text.insert(begin, line);
            break;
        case 2:
            text.erase(begin, length);
            text.insert(line_at(text, place(dice, text)).first, line);
            break;
        default:
            text.insert(begin, static_cast<std::size_t>(dice.roll(1, 4)), ' ');
    }
}

/// Replaces many whole numbers by one that is near a bound.
void mutate_numbers(std::string& text, Dice& dice) {
    constexpr std::array<int, 3> shares{5, 30, 90};
    const std::string_view by = any_of(dice, near_bounds);
    const int share = any_of(dice, shares);
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
        const bool alone =
            (at == 0 || !in_word(text[at - 1])) && (end == text.size() || !in_word(text[end]));
        if (end > at && alone && dice.chance(share)) {
            out += by;
        } else {
            out += text.substr(at, std::max<std::size_t>(end - at, 1));
        }
        at = std::max(end, at + 1);
    }
    text = std::move(out);
}

}  // namespace

void mutate(std::string& text, Dice& dice) {
    const std::int64_t kind = text.empty() ? 0 : dice.roll(0, 6);
    if (kind < 2) {
        mutate_bytes(text, dice);
    } else if (kind < 5) {
        mutate_words(text, dice);
    } else if (kind == 6) {
        mutate_numbers(text, dice);
    } else {
        mutate_lines(text, dice);
    }
}

}  // namespace berth::tests

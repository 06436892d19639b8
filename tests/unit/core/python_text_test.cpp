#include "core/allocation_candidates/python_text.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

using namespace berth::core;
using std::string_view_literals::operator""sv;

namespace {

constexpr char32_t last_character = 0x10FFFF;

bool is_surrogate(char32_t c) {
    return c >= 0xD800 && c <= 0xDFFF;
}

/// The bytes of a character, as RFC 3629 lays them out; for a surrogate, those that it would have.
std::string utf8(char32_t c) {
    const auto tail = [c](unsigned shift) { return static_cast<char>(0x80 | (c >> shift & 0x3F)); };
    if (c < 0x80) {
        return {static_cast<char>(c)};
    }
    if (c < 0x800) {
        return {static_cast<char>(0xC0 | c >> 6), tail(0)};
    }
    if (c < 0x10000) {
        return {static_cast<char>(0xE0 | c >> 12), tail(6), tail(0)};
    }
    return {static_cast<char>(0xF0 | c >> 18), tail(12), tail(6), tail(0)};
}

std::string text_of(std::string_view text) {
    const auto number = python_integer(text);
    return number ? number->text() : "ValueError";
}

}  // namespace

TEST_CASE("python text: every character is UTF-8, and no surrogate", "[core][candidates]") {
    for (char32_t c = 0; c <= last_character; ++c) {
        const std::string text = "a" + utf8(c) + "b";
        if (utf8_size(text) != (is_surrogate(c) ? 1 : text.size())) {
            CAPTURE(static_cast<std::uint32_t>(c));
            FAIL_CHECK("another length");
        }
    }
}

TEST_CASE("python text: what is no UTF-8 ends there", "[core][candidates]") {
    const auto [text, size] = GENERATE(table<std::string_view, std::size_t>({
        {""sv, 0},
        {"\x80"sv, 0},                  // a tail without a lead
        {"a\xC3"sv, 1},                 // a lead without a tail
        {"ab\xC3z"sv, 2},               // a letter where a tail belongs
        {"\xE2\x80"sv, 0},              // cut short
        {"\xF0\x9F\x98"sv, 0},          // cut short
        {"\xF0\x9F\x98\x80\xFF"sv, 4},  // no lead at all
        {"\xC0\x80"sv, 0},              // longer than need be
        {"\xC1\xBF"sv, 0},
        {"\xE0\x9F\xBF"sv, 0},
        {"\xF0\x8F\xBF\xBF"sv, 0},
        {"\xF4\x90\x80\x80"sv, 0},  // beyond the last character
        {"\xF8\x88\x80\x80\x80"sv, 0},
        {"\xE2\xC0\x80"sv, 0},  // a lead where a tail belongs
    }));
    CAPTURE(text);
    CHECK(utf8_size(text) == size);
}

TEST_CASE("python text: strip takes the 29 characters of str.isspace", "[core][candidates]") {
    const std::set<char32_t> spaces{0x09,   0x0A,   0x0B,   0x0C,   0x0D,   0x1C,   0x1D,   0x1E,
                                    0x1F,   0x20,   0x85,   0xA0,   0x1680, 0x2000, 0x2001, 0x2002,
                                    0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200A,
                                    0x2028, 0x2029, 0x202F, 0x205F, 0x3000};
    for (char32_t c = 0; c <= last_character; ++c) {
        if (!is_surrogate(c) && python_strip(utf8(c)).empty() != spaces.contains(c)) {
            CAPTURE(static_cast<std::uint32_t>(c));
            FAIL_CHECK("another answer");
        }
    }
    CHECK(python_strip("").empty());
    CHECK(python_strip("\t a\u3000b \u2003") == "a\u3000b");
}

TEST_CASE("python text: split gives one part at least", "[core][candidates]") {
    using Parts = std::vector<std::string_view>;
    CHECK(python_split("", ',') == Parts{""});
    CHECK(python_split("ab", ',') == Parts{"ab"});
    CHECK(python_split(",a,,b", ',') == Parts{"", "a", "", "b"});
}

TEST_CASE("python text: the 660 digits of Unicode 14.0 have the values of int()",
          "[core][candidates]") {
    // The count and the sum that Python 3.11 gives over all characters that int() accepts alone.
    std::uint64_t count = 0;
    std::uint64_t sum = 0;
    for (char32_t c = 0; c <= last_character; ++c) {
        if (is_surrogate(c)) {
            continue;
        }
        if (const auto number = python_integer(utf8(c))) {
            ++count;
            sum += c * (number->magnitude() + 1);
        }
    }
    CHECK(count == 660);
    CHECK(sum == 169'441'580);
}

TEST_CASE("python text: int() takes what Python's takes", "[core][candidates]") {
    const auto [text, integer] = GENERATE(table<std::string_view, std::string>({
        {"0", "0"},
        {"007", "7"},
        {"000", "0"},
        {"-0", "0"},
        {"-12", "-12"},
        {"+12", "12"},
        {" \t\n\v\f\r12\u3000", "12"},
        {"1_000", "1000"},
        {"\u0661\u0662", "12"},
        {"18446744073709551616", "18446744073709551616"},
        {"", "ValueError"},
        {" ", "ValueError"},
        {"\x1C", "ValueError"},
        {"1\x1F", "ValueError"},
        {"-", "ValueError"},
        {"--1", "ValueError"},
        {"- 1", "ValueError"},
        {"1 2", "ValueError"},
        {"_1", "ValueError"},
        {"1_", "ValueError"},
        {"1__0", "ValueError"},
        {"-_1", "ValueError"},
        {"1.0", "ValueError"},
        {"/", "ValueError"},
        {":", "ValueError"},
        {"0x1", "ValueError"},
        {"\u00B2", "ValueError"},  // a digit, but no decimal one
        {"1\u00E9 2", "ValueError"},
    }));
    CAPTURE(text);
    CHECK(text_of(text) == integer);
}

TEST_CASE("python text: int() takes 4 300 digits and no more", "[core][candidates]") {
    CHECK(text_of(std::string(4300, '1')) == std::string(4300, '1'));
    CHECK(text_of(std::string(4301, '1')) == "ValueError");
    CHECK(text_of(std::string(4300, '0')) == "0");
}

TEST_CASE("python text: signs and sizes of integers", "[core][candidates]") {
    CHECK(python_integer("1")->is_positive());
    CHECK_FALSE(python_integer("0")->is_positive());
    CHECK_FALSE(python_integer("-1")->is_positive());
    CHECK(python_integer("-12")->magnitude() == 12);
    CHECK(python_integer("18446744073709551615")->magnitude() == UINT64_MAX);
    CHECK(python_integer("18446744073709551616")->magnitude() == UINT64_MAX);
}

TEST_CASE("python text: repr() quotes and escapes as Python's does", "[core][candidates]") {
    const auto [text, shown] = GENERATE(table<std::string_view, std::string>({
        {"", "''"},
        {"a b", "'a b'"},
        {"it's", "\"it's\""},
        {"\"", "'\"'"},
        {"'\"", "'\\'\"'"},
        {"\\", "'\\\\'"},
        {"\t\n\r", "'\\t\\n\\r'"},
        {"\x1F!~\x7F", "'\\x1f!~\\x7f'"},
        {"\u0080\u009F\u00A0\u00A1", "'\\x80\\x9f\\xa0\u00A1'"},
        {"\u1680\u3000\u00E9", "'\\u1680\\u3000\u00E9'"},
    }));
    CHECK(python_repr(text) == shown);
    const std::vector<std::string> none;
    const std::vector<std::string> two{"a", "b'"};
    CHECK(python_repr(none) == "[]");
    CHECK(python_repr(two) == "['a', \"b'\"]");
}

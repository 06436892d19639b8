#include "core/support/append_seconds.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>

namespace berth::core {
namespace {

/// 00 01 02 ... 99
constexpr auto two_digits = [] {
    std::array<char, 200> digits{};
    for (std::size_t i = 0; i < 100; ++i) {
        digits[2 * i] = static_cast<char>('0' + i / 10);
        digits[2 * i + 1] = static_cast<char>('0' + i % 10);
    }
    return digits;
}();

}  // namespace

char* write_seconds(char* out, std::chrono::nanoseconds time) {
    constexpr std::uint64_t second = 1'000'000'000;
    if (time < time.zero()) {
        *out++ = '-';
    }
    const std::int64_t signed_count = time.count();
    // The least number has no positive counterpart but as an unsigned one.
    const std::uint64_t count = signed_count < 0 ? 0 - static_cast<std::uint64_t>(signed_count)
                                                 : static_cast<std::uint64_t>(signed_count);
    out = std::to_chars(out, out + seconds_chars_max, count / second).ptr;
    const auto fraction = static_cast<std::uint32_t>(count % second);
    if (fraction == 0) {
        return out;
    }
    // Nine digits as 2 + 2 + 2 + 2 + 1: tables are full of such numbers.
    const auto pair = [](char* to, std::uint32_t number) {
        std::memcpy(to, &two_digits[std::size_t{2} * number], 2);
    };
    const std::uint32_t high = fraction / 100'000;
    const std::uint32_t low = fraction % 100'000;
    const std::uint32_t low_four = low / 10;
    *out++ = '.';
    pair(out, high / 100);
    pair(out + 2, high % 100);
    pair(out + 4, low_four / 100);
    pair(out + 6, low_four % 100);
    out[8] = static_cast<char>('0' + low % 10);
    out += 9;
    while (*(out - 1) == '0') {
        --out;
    }
    return out;
}

void append_seconds(std::string& out, std::chrono::nanoseconds time) {
    std::array<char, seconds_chars_max> text{};
    out.append(text.data(), write_seconds(text.data(), time));
}

}  // namespace berth::core

#include "core/support/append_seconds.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>

namespace berth::core {
namespace {

/// The eight digits of a number below 10^8, the first digit in the lowest byte. All eight are made
/// at once: halves, quarters and eighths of a word are divided beside each other.
constexpr std::uint64_t eight_digits(std::uint32_t number) {
    const std::uint64_t high = number / 10'000;
    const std::uint64_t fours = high | (number - high * 10'000) << 32U;
    // The quotients of four digits by 100 and of two digits by 10. They are exact for numbers that
    // short.
    const std::uint64_t hundreds = ((fours * 10'486) >> 20U) & 0x0000'007f'0000'007f;
    const std::uint64_t twos = hundreds | (fours - hundreds * 100) << 16U;
    const std::uint64_t tens = ((twos * 103) >> 10U) & 0x000f'000f'000f'000f;
    return tens | (twos - tens * 10) << 8U;
}
static_assert(eight_digits(12'345'678) == 0x0807'0605'0403'0201);
static_assert(eight_digits(99'999'999) == 0x0909'0909'0909'0909);

/// Writes the eight lowest bytes of `digits` as characters, the lowest first.
void put(char* out, std::uint64_t digits) {
    digits |= 0x3030'3030'3030'3030;
    if constexpr (std::endian::native == std::endian::big) {
        digits = __builtin_bswap64(digits);
    }
    std::memcpy(out, &digits, sizeof digits);
}

/// Writes a number without leading zeros. At least eight bytes are written; those behind the end of
/// the number mean nothing.
char* put_number(char* out, std::uint64_t number) {
    constexpr std::uint64_t eight_digits_end = 100'000'000;
    if (number >= eight_digits_end) {
        return std::to_chars(out, out + seconds_chars_max, number).ptr;
    }
    const std::uint64_t digits = eight_digits(static_cast<std::uint32_t>(number));
    // Zero is written with one digit.
    const int zeros = std::countr_zero(digits | std::uint64_t{1} << 56U) / 8;
    put(out, digits >> (8 * zeros));
    return out + 8 - zeros;
}

}  // namespace

char* write_seconds(char* out, std::chrono::nanoseconds time) {
    constexpr std::uint64_t second = 1'000'000'000;
    if (time < time.zero()) {
        *out++ = '-';
    }
    const std::int64_t signed_count = time.count();
    // The least number has a positive counterpart only as an unsigned number.
    const std::uint64_t count = signed_count < 0 ? 0 - static_cast<std::uint64_t>(signed_count)
                                                 : static_cast<std::uint64_t>(signed_count);
    out = put_number(out, count / second);
    const auto fraction = static_cast<std::uint32_t>(count % second);
    if (fraction == 0) {
        return out;
    }
    // The nine digits are written as eight and one, since tables are full of such numbers.
    const std::uint32_t last = fraction % 10;
    const std::uint64_t digits = eight_digits(fraction / 10);
    *out++ = '.';
    put(out, digits);
    if (last != 0) {
        out[8] = static_cast<char>('0' + last);
        return out + 9;
    }
    return out + 8 - std::countl_zero(digits) / 8;
}

void append_seconds(std::string& out, std::chrono::nanoseconds time) {
    std::array<char, seconds_chars_max> text{};
    out.append(text.data(), write_seconds(text.data(), time));
}

}  // namespace berth::core

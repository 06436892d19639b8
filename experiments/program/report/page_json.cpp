#include "experiments/program/report/page_json.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <utility>

#include "experiments/program/support/interval_text.hpp"

namespace berth::report {
namespace {

using Json = nlohmann::ordered_json;

/// Appends a number: its sign goes into the lowest bit, so small numbers of either sign have few
/// bits, and there are seven bits in each byte, of which only the last one is below 128.
void append(std::int64_t value, std::string& bytes) {
    const auto sign = static_cast<std::uint64_t>(value < 0 ? -1 : 0);
    std::uint64_t rest = (static_cast<std::uint64_t>(value) << 1U) ^ sign;
    for (; rest >= 128; rest >>= 7U) {
        bytes += static_cast<char>(128 | (rest & 127));
    }
    bytes += static_cast<char>(rest);
}

std::string base64(const std::string& bytes) {
    std::vector<unsigned char> out((bytes.size() + 2) / 3 * 4 + 1);
    const int length = EVP_EncodeBlock(out.data(),
                                       reinterpret_cast<const unsigned char*>(bytes.data()),
                                       static_cast<int>(bytes.size()));
    return {out.begin(), out.begin() + length};
}

/// The unit of a column's numbers: they are multiples of `step`, or of 1 / `per`.
struct Unit {
    double step = 1;
    double per = 1;
};

/// The unit of a column; nothing if it has no numbers.
std::optional<Unit> unit_of(const std::vector<double>& values) {
    constexpr double exact_max = 9e15;
    double most = -1;
    std::int64_t divisor = 0;
    bool whole = true;
    for (const double value : values) {
        if (!std::isfinite(value)) {
            continue;
        }
        most = std::max(most, std::abs(value));
        whole = whole && std::abs(value) < exact_max && value == std::floor(value);
        divisor = whole ? std::gcd(divisor, static_cast<std::int64_t>(value)) : 0;
    }
    if (most < 0) {
        return std::nullopt;
    }
    if (whole) {
        return Unit{static_cast<double>(std::max<std::int64_t>(divisor, 1)), 1};
    }
    constexpr int digits = 6;
    const int power = decimal_exponent(most) - (digits - 1);
    return power >= 0 ? Unit{power_of_ten(power), 1} : Unit{1, power_of_ten(std::min(-power, 15))};
}

Json all_rounded(const std::vector<double>& values) {
    Json::array_t list;
    list.reserve(values.size());
    for (const double value : values) {
        list.push_back(rounded(value));
    }
    return list;
}

}  // namespace

Is<"number"> rounded(double value) {
    if (!std::isfinite(value)) {
        return of_type<"number">(nullptr);
    }
    if (value == std::floor(value) && std::abs(value) < 9e15) {
        return of_type<"number">(static_cast<std::int64_t>(value));
    }
    const std::string text = fmt::format("{:.6g}", value);
    double out = 0;
    std::from_chars(text.data(), text.data() + text.size(), out);
    return of_type<"number">(out);
}

Is<"Value"> rounded(const std::optional<double>& value) {
    return rounded_if_any(value.value_or(std::numeric_limits<double>::quiet_NaN()));
}

Is<"Value"> rounded_if_any(double value) {
    return of_type<"Value">(rounded(value));
}

Is<"number[]"> rounded_list(const std::vector<double>& values) {
    return of_type<"number[]">(all_rounded(values));
}

Is<"Value[]"> rounded_if_any(const std::vector<double>& values) {
    return of_type<"Value[]">(all_rounded(values));
}

Is<"Folded"> folded(const std::vector<double>& values) {
    if (values.empty()) {
        return of_type<"Folded">(Json::array());
    }
    const bool none = std::ranges::all_of(values, [](double v) { return std::isnan(v); });
    const bool equal = std::ranges::all_of(values, [&](double v) { return v == values.front(); });
    return of_type<"Folded">(none || equal ? rounded(values.front()) : all_rounded(values));
}

Is<"Packed"> packed(const std::vector<std::int64_t>& values) {
    if (values.empty() || std::ranges::count(values, values.front()) == std::ssize(values)) {
        return of_type<"Packed">(values.empty() ? 0 : values.front());
    }
    std::string plain;
    std::string differences;
    std::int64_t before = 0;
    constexpr std::int64_t most = 1LL
                                  << 53;  // beyond it, JavaScript rounds and differences overflow
    const bool exact = std::ranges::all_of(
        values, [](std::int64_t value) { return value >= -most && value <= most; });
    for (const std::int64_t value : values) {
        append(value, plain);
        append(exact ? value - before : 0, differences);
        before = value;
    }
    return of_type<"Packed">(exact && differences.size() < plain.size() ? "d" + base64(differences)
                                                                        : "v" + base64(plain));
}

Is<"PackedNumbers"> packed_numbers(const std::vector<double>& values) {
    const std::optional<Unit> unit = unit_of(values);
    if (!unit) {
        return of_type<"PackedNumbers">(nullptr);
    }
    std::vector<std::int64_t> multiples;
    std::int64_t least = 0;
    for (const double value : values) {
        multiples.push_back(std::isfinite(value) ? std::llround(value / unit->step * unit->per)
                                                 : 0);
        least = std::min(least, multiples.back());
    }
    Json out;
    if (unit->per > 1) {
        out["per"] = unit->per;
    } else {
        out["step"] = unit->step;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i])) {
            multiples[i] = least - 1;
            out["null"] = least - 1;
        }
    }
    out["values"] = packed(multiples);
    return of_type<"PackedNumbers">(std::move(out));
}

}  // namespace berth::report

#include "experiments/program/sweep/axis_range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <optional>
#include <string_view>

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::MapReader;
using core::Value;
using Integer = boost::multiprecision::cpp_int;

constexpr std::size_t numbers_max = 1'000'000;
constexpr unsigned decimals_max = 18;

/// digits / 10^decimals: 0.1 is exactly that.
struct Decimal {
    Integer digits;
    unsigned decimals = 0;
};

Integer power_of_ten(unsigned exponent) {
    return boost::multiprecision::pow(Integer(10), exponent);
}

std::optional<Decimal> parse_decimal(const Value& value, Diagnostics& diagnostics) {
    Decimal out;
    std::string_view rest = value.text;
    const bool negative = rest.starts_with('-');
    rest.remove_prefix(negative || rest.starts_with('+') ? 1 : 0);
    bool any = false;
    bool behind_point = false;
    for (const char c : rest) {
        if (c == '.' && !behind_point) {
            behind_point = true;
            continue;
        }
        if (c < '0' || c > '9' || out.decimals == decimals_max || rest.size() > 2U * decimals_max) {
            any = false;
            break;
        }
        any = true;
        out.digits = out.digits * 10 + (c - '0');
        out.decimals += behind_point ? 1 : 0;
    }
    if (!any || !value.is_scalar()) {
        expected(value, "a decimal number, such as 0.1 or 20", diagnostics);
        return std::nullopt;
    }
    out.digits = negative ? Integer(-out.digits) : out.digits;
    return out;
}

std::optional<Decimal> take_decimal(MapReader& map, const char* key) {
    const Value* value = map.take(key);
    return value != nullptr ? parse_decimal(*value, map.diagnostics()) : std::nullopt;
}

std::string text_of(Decimal number) {
    while (number.decimals > 0 && number.digits % 10 == 0) {
        number.digits /= 10;
        --number.decimals;
    }
    std::string digits = Integer(abs(number.digits)).str();
    if (number.decimals > 0) {
        if (digits.size() <= number.decimals) {
            digits.insert(0, number.decimals + 1 - digits.size(), '0');
        }
        digits.insert(digits.size() - number.decimals, ".");
    }
    return (number.digits < 0 ? "-" : "") + digits;
}

/// a < b as numbers.
bool less(const Decimal& a, const Decimal& b) {
    return a.digits * power_of_ten(b.decimals) < b.digits * power_of_ten(a.decimals);
}

Decimal sum(const Decimal& a, const Decimal& b) {
    const unsigned decimals = std::max(a.decimals, b.decimals);
    return {a.digits * power_of_ten(decimals - a.decimals) +
                b.digits * power_of_ten(decimals - b.decimals),
            decimals};
}

Decimal product(const Decimal& a, const Decimal& b) {
    Decimal out{a.digits * b.digits, a.decimals + b.decimals};
    while (out.decimals > 0 && out.digits % 10 == 0) {
        out.digits /= 10;
        --out.decimals;
    }
    return out;
}

}  // namespace

std::vector<std::string> range_texts(const Value& range, Diagnostics& diagnostics) {
    MapReader map(range, "a range", diagnostics);
    const std::size_t errors_before = diagnostics.error_count();
    (void)map.need("from");
    (void)map.need("to");
    const auto from = take_decimal(map, "from");
    const auto to = take_decimal(map, "to");
    const auto step = take_decimal(map, "step");
    const auto factor = take_decimal(map, "factor");
    map.report_unknown_keys();
    if (diagnostics.error_count() > errors_before) {
        return {};
    }
    const auto error = [&](std::string_view message) {
        diagnostics.error(range.span, message);
        return std::vector<std::string>();
    };
    if (step.has_value() == factor.has_value()) {
        return error("a range without one of step and factor: expected one of them");
    }
    const Decimal zero{0, 0};
    const Decimal one{1, 0};
    const bool down = step ? less(*step, zero) : less(*factor, one);
    if (step ? step->digits == 0
             : !less(zero, *factor) || !less(zero, *from) || (!down && !less(one, *factor))) {
        return error(
            "an endless range: expected a step that is not 0, or a factor above 0 that is "
            "not 1, and then a from above 0");
    }
    std::vector<std::string> texts;
    for (Decimal at = *from; down ? !less(at, *to) : !less(*to, at);
         at = step ? sum(at, *step) : product(at, *factor)) {
        if (texts.size() == numbers_max || at.decimals > 4 * decimals_max) {
            return error(
                fmt::format("a range of more than {} numbers, or of more than {} decimals: "
                            "expected fewer",
                            numbers_max,
                            4 * decimals_max));
        }
        texts.push_back(text_of(at));
    }
    if (texts.empty()) {
        return error(fmt::format("an empty range: expected a from {} its to",
                                 down ? "not below" : "not above"));
    }
    return texts;
}

}  // namespace berth::experiments

#include "experiments/program/sweep/axis_range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <string_view>

#include "sim/clock/time.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::MapReader;
using core::Value;
using Integer = boost::multiprecision::cpp_int;

constexpr std::size_t numbers_max = 1'000'000;
constexpr unsigned decimals_max = 18;

/// digits / 10^decimals, which represents 0.1 exactly.
struct Decimal {
    Integer digits;
    unsigned decimals = 0;
};

Integer power_of_ten(unsigned exponent) {
    return boost::multiprecision::pow(Integer(10), exponent);
}

/// Units that belong together, relative to the smallest of them. `m` is only a unit of durations:
/// in `{from: 5m, to: 9}`, a missing unit is more likely than thousandths.
struct Unit {
    std::string_view name;
    std::int64_t size;
};
constexpr std::array durations{Unit{"ns", 1},
                               Unit{"us", 1'000},
                               Unit{"ms", 1'000'000},
                               Unit{"s", 1'000'000'000},
                               Unit{"m", 60'000'000'000},
                               Unit{"h", 3'600'000'000'000},
                               Unit{"d", 86'400'000'000'000}};
constexpr std::array binary_amounts{Unit{"", 1},
                                    Unit{"Ki", 1LL << 10},
                                    Unit{"Mi", 1LL << 20},
                                    Unit{"Gi", 1LL << 30},
                                    Unit{"Ti", 1LL << 40},
                                    Unit{"Pi", 1LL << 50}};
constexpr std::array decimal_amounts{Unit{"", 1},
                                     Unit{"k", 1'000},
                                     Unit{"M", 1'000'000},
                                     Unit{"G", 1'000'000'000},
                                     Unit{"T", 1'000'000'000'000},
                                     Unit{"P", 1'000'000'000'000'000}};
constexpr std::array<std::span<const Unit>, 3> families{durations, binary_amounts, decimal_amounts};

/// A number with its unit, such as `5m` or `0.1`.
struct Measured : Decimal {
    std::string unit;
};

/// A duration of several parts in the largest unit that leaves it whole: `1h30m` is 90m. Nothing if
/// it is none.
std::optional<Measured> parse_parts(std::string_view text) {
    const auto duration = sim::parse_duration(text);
    if (!duration) {
        return std::nullopt;
    }
    const auto unit = std::ranges::find_if(
        durations | std::views::reverse,
        [&](const Unit& larger_first) { return duration->count() % larger_first.size == 0; });
    return Measured{{duration->count() / unit->size, 0}, std::string(unit->name)};
}

std::optional<Measured> parse_measured(const Value& value, Diagnostics& diagnostics) {
    Measured out;
    std::string_view rest = value.text;
    const bool negative = rest.starts_with('-');
    rest.remove_prefix(negative || rest.starts_with('+') ? 1 : 0);
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789."), rest.size());
    const std::string_view number = rest.substr(0, digits);
    const std::string_view unit = rest.substr(digits);
    const std::size_t point = std::min(number.find('.'), number.size());
    out.decimals = static_cast<unsigned>(number.size() - std::min(point + 1, number.size()));
    const bool known = std::ranges::any_of(families, [&](std::span<const Unit> family) {
        return std::ranges::find(family, unit, &Unit::name) != family.end();
    });
    if (!value.is_scalar() || !known || number.empty() || number == "." ||
        number.find('.', point + 1) != std::string_view::npos || out.decimals > decimals_max ||
        number.size() > 2U * decimals_max) {
        if (const auto parts = value.is_scalar() ? parse_parts(value.text) : std::nullopt) {
            return parts;
        }
        expected(value, "a number, a duration or an amount, such as 0.1, 5m or 64Gi", diagnostics);
        return std::nullopt;
    }
    for (const char c : number) {
        out.digits = c == '.' ? out.digits : out.digits * 10 + (c - '0');
    }
    out.digits = negative ? Integer(-out.digits) : out.digits;
    out.unit = unit;
    return out;
}

std::optional<Measured> take_measured(MapReader& map, const char* key) {
    const Value* value = map.take(key);
    return value != nullptr ? parse_measured(*value, map.diagnostics()) : std::nullopt;
}

/// Converts numbers to the smallest of their units, which is returned; nothing if the units do not
/// belong together. A plain 0 has any unit.
std::optional<std::string> to_one_unit(std::vector<Measured*> numbers) {
    const std::string any = numbers.back()->unit;
    std::erase_if(numbers,
                  [](const Measured* one) { return one->digits == 0 && one->unit.empty(); });
    for (const std::span<const Unit> family : families) {
        const auto unit_of = [&](const Measured* one) {
            return std::ranges::find(family, one->unit, &Unit::name);
        };
        if (numbers.empty() || std::ranges::any_of(numbers, [&](const Measured* one) {
                return unit_of(one) == family.end();
            })) {
            continue;
        }
        const Unit least = *unit_of(*std::ranges::min_element(
            numbers, {}, [&](const Measured* one) { return unit_of(one)->size; }));
        for (Measured* one : numbers) {
            one->digits *= unit_of(one)->size / least.size;
        }
        return std::string(least.name);
    }
    return numbers.empty() ? std::optional(any) : std::nullopt;
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
    auto from = take_measured(map, "from");
    auto to = take_measured(map, "to");
    auto step = take_measured(map, "step");
    const auto factor = take_measured(map, "factor");
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
    const auto unit = step ? to_one_unit({&*from, &*to, &*step}) : to_one_unit({&*from, &*to});
    if (!unit || (factor && !factor->unit.empty())) {
        return error(
            "a range whose units do not go together: expected durations alone, such as {from: 30s, "
            "to: 5m, step: 30s}, or amounts of one kind, such as {from: 64Gi, to: 1Ti, factor: 2}");
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
        texts.push_back(text_of(at) + *unit);
    }
    if (texts.empty()) {
        return error(fmt::format("an empty range: expected a from {} its to",
                                 down ? "not below" : "not above"));
    }
    return texts;
}

}  // namespace berth::experiments

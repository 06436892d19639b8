#include "core/tree/resources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "core/support/assert.hpp"
#include "core/support/decimal.hpp"
#include "core/tree/device_names.hpp"
#include "core/tree/gpu_resource.hpp"

namespace berth::core {
namespace {

__extension__ using Wide = unsigned __int128;
constexpr Wide wide_max = ~Wide{0};

struct Suffix {
    std::string_view text;
    int binary;   // powers of two
    int decimal;  // powers of ten
};
constexpr std::array suffixes{
    Suffix{"", 0, 0},
    Suffix{"n", 0, -9},
    Suffix{"u", 0, -6},
    Suffix{"m", 0, -3},
    Suffix{"k", 0, 3},
    Suffix{"M", 0, 6},
    Suffix{"G", 0, 9},
    Suffix{"T", 0, 12},
    Suffix{"P", 0, 15},
    Suffix{"E", 0, 18},
    Suffix{"Ki", 10, 0},
    Suffix{"Mi", 20, 0},
    Suffix{"Gi", 30, 0},
    Suffix{"Ti", 40, 0},
    Suffix{"Pi", 50, 0},
    Suffix{"Ei", 60, 0},
};

/// A decimal number times 2^binary.
struct Number : Decimal<Wide> {
    int binary = 0;
};

bool multiply(Wide& value, Wide factor) {
    if (factor != 0 && value > wide_max / factor) {
        return false;
    }
    value *= factor;
    return true;
}

std::optional<Number> parse(std::string_view text) {
    const auto decimal = eat_decimal<Wide>(text);
    if (!decimal) {
        return std::nullopt;
    }
    Number number{*decimal, 0};
    const auto suffix = std::ranges::find(suffixes, text, &Suffix::text);
    if (suffix != suffixes.end()) {
        number.binary = suffix->binary;
        number.exponent += suffix->decimal;
        return number;
    }
    const auto exponent = parse_exponent(text, 99);
    number.exponent += exponent.value_or(0);
    return exponent ? std::optional(number) : std::nullopt;
}

enum class Remainder : std::uint8_t { is_a_fault, is_rounded_up };

/// The number times `factor`, without its sign, if the product is whole or rounded, and at most
/// `max`.
std::variant<Wide, QuantityFault> scaled(const Number& number,
                                         Wide factor,
                                         Wide max,
                                         Remainder remainder) {
    Wide value = number.mantissa;
    if (value == 0 && !number.full) {
        return Wide{0};
    }
    bool fits =
        !number.full && multiply(value, factor) && multiply(value, Wide{1} << number.binary);
    std::int64_t decimal = number.exponent;
    for (; fits && decimal > 0; --decimal) {
        fits = multiply(value, 10);
    }
    if (!fits) {
        return QuantityFault::overflow;
    }
    bool is_whole = true;
    for (; decimal < 0 && (is_whole || value != 0); ++decimal) {
        is_whole = is_whole && value % 10 == 0;
        value /= 10;
    }
    if (!is_whole && remainder == Remainder::is_a_fault) {
        return QuantityFault::fractional;
    }
    value += is_whole ? 0 : 1;
    if (value > max) {
        return QuantityFault::overflow;
    }
    return value;
}

/// Parses the most common quantities without wide numbers: `16`, `500m`, `256Gi`, `2113409220Ki`.
/// Nothing for all others, and for faulty ones.
std::optional<Amount> parse_plain_quantity(std::string_view text, Amount per_unit) {
    constexpr std::size_t digits_max = 15;
    constexpr std::string_view names = "kMGTP";
    Amount value = 0;
    std::size_t count = 0;
    for (; count < text.size() && text[count] >= '0' && text[count] <= '9'; ++count) {
        if (count == digits_max) {
            return std::nullopt;
        }
        value = 10 * value + (text[count] - '0');
    }
    const std::string_view suffix = text.substr(count);
    if (count == 0 || suffix.size() > 2) {
        return std::nullopt;
    }
    const auto product = checked_multiply(value, per_unit);
    if (!product || suffix.empty()) {
        return product;
    }
    if (suffix == "m") {
        return *product % 1000 == 0 ? std::optional(*product / 1000) : std::nullopt;
    }
    const bool binary = suffix.size() == 2 && suffix[1] == 'i';
    const std::size_t power = names.find(suffix.front() == 'K' && binary ? 'k' : suffix.front());
    if (power == std::string_view::npos || (suffix.size() == 2 && !binary) ||
        (binary && suffix.front() == 'k')) {
        return std::nullopt;
    }
    Amount factor = 1;
    for (std::size_t step = 0; step <= power; ++step) {
        factor *= binary ? 1024 : 1000;
    }
    return checked_multiply(*product, factor);
}

constexpr auto amount_max = static_cast<Wide>(std::numeric_limits<Amount>::max());
constexpr Wide billion = 1'000'000'000;
constexpr std::array binary_names{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};

std::string with_sign(bool negative, Wide magnitude, std::string_view suffix) {
    std::string digits(suffix);
    do {
        digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(magnitude % 10)));
        magnitude /= 10;
    } while (magnitude > 0);
    return negative ? "-" + digits : digits;
}

std::string in_binary(bool negative, Wide units) {
    std::size_t power = 0;
    while (units != 0 && units % 1024 == 0 && power + 1 < binary_names.size()) {
        units /= 1024;
        ++power;
    }
    return with_sign(negative, units, binary_names[power]);
}

/// Writes the number with the suffix of the largest power of a thousand, up to `step_max`, that
/// leaves it whole.
std::string in_thousands(bool negative, Wide billionths, int step_max, bool exponent) {
    constexpr std::array names{"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
    int step = 0;
    while (billionths != 0 && billionths % 1000 == 0 && step < step_max) {
        billionths /= 1000;
        ++step;
    }
    if (billionths == 0 || step == 3) {
        return with_sign(negative && billionths != 0, billionths, "");
    }
    return with_sign(
        negative,
        billionths,
        exponent ? fmt::format("e{}", 3 * (step - 3)) : names[static_cast<std::size_t>(step)]);
}

}  // namespace

std::variant<Amount, QuantityFault> parse_quantity(std::string_view text, Amount per_unit) {
    BERTH_ASSERT(per_unit > 0, "a unit has parts to count");
    if (const auto amount = parse_plain_quantity(text, per_unit)) {
        return *amount;
    }
    const std::optional<Number> number = parse(text);
    if (!number) {
        return QuantityFault::malformed;
    }
    if (number->negative && (number->mantissa != 0 || number->full)) {
        return QuantityFault::negative;
    }
    const auto value =
        scaled(*number, static_cast<Wide>(per_unit), amount_max, Remainder::is_a_fault);
    if (const auto* fault = std::get_if<QuantityFault>(&value)) {
        return *fault;
    }
    return static_cast<Amount>(std::get<Wide>(value));
}

std::variant<Quantity, QuantityFault> parse_exact_quantity(std::string_view text) {
    const std::optional<Number> number = parse(text);
    if (!number) {
        return QuantityFault::malformed;
    }
    const auto value = scaled(*number, billion, amount_max * billion, Remainder::is_rounded_up);
    if (const auto* fault = std::get_if<QuantityFault>(&value)) {
        return *fault;
    }
    const auto magnitude = static_cast<Quantity>(std::get<Wide>(value));
    return number->negative ? -magnitude : magnitude;
}

std::variant<Amount, QuantityFault> parse_quantity_up(std::string_view text, Amount per_unit) {
    const auto parsed = parse_quantity(text, per_unit);
    const auto* fault = std::get_if<QuantityFault>(&parsed);
    if (fault == nullptr || *fault != QuantityFault::fractional) {
        return parsed;
    }
    const auto exact = parse_exact_quantity(text);
    const auto* quantity = std::get_if<Quantity>(&exact);
    if (quantity == nullptr || *quantity < 0) {
        return parsed;
    }
    constexpr Quantity billion = 1'000'000'000;
    return static_cast<Amount>((*quantity * per_unit + billion - 1) / billion);
}

std::string canonical_quantity(std::string_view text) {
    const auto parsed = parse_exact_quantity(text);
    const auto* quantity = std::get_if<Quantity>(&parsed);
    if (quantity == nullptr) {
        return std::string(text);
    }
    const bool negative = *quantity < 0;
    const auto billionths = static_cast<Wide>(negative ? -*quantity : *quantity);
    if (text.ends_with('i') && billionths % billion == 0 && billionths >= 1024 * billion) {
        return in_binary(negative, billionths / billion);
    }
    // An `E` at the end is the suffix; before digits it begins an exponent, as `e` does.
    const bool exponent = text.find_first_of("eE") < text.size() - 1;
    return in_thousands(negative, billionths, 9, exponent && text.back() != 'i');
}

std::string format_quantity(std::string_view resource, Quantity quantity) {
    const bool negative = quantity < 0;
    const auto billionths = static_cast<Wide>(negative ? -quantity : quantity);
    const bool bytes = resource == "memory" || resource == "ephemeral-storage" ||
                       resource.starts_with("hugepages-");
    if (bytes && billionths % billion == 0) {
        return in_binary(negative, billionths / billion);
    }
    return in_thousands(negative, billionths, 3, false);
}

std::string describe(QuantityFault fault, std::string_view unit) {
    switch (fault) {
        case QuantityFault::malformed:
            return "a Kubernetes quantity such as 500m, 16 or 256Gi";
        case QuantityFault::fractional:
            return fmt::format("a whole number of {}", unit);
        case QuantityFault::overflow:
            return fmt::format("at most {} {}", std::numeric_limits<Amount>::max(), unit);
        case QuantityFault::negative:
            break;
    }
    return "no negative amount";
}

std::size_t ResourceSchema::add(std::string_view name) {
    if (const auto known = find(name)) {
        return *known;
    }
    names_.emplace_back(name);
    kinds_.push_back(name == "cpu"                        ? Kind::cpu
                     : find_gpu_resource(name) != nullptr ? Kind::gpu
                                                          : Kind::other);
    return names_.size() - 1;
}

std::optional<std::size_t> ResourceSchema::find(std::string_view name) const {
    const auto at = std::ranges::find(names_, name);
    return at == names_.end() ? std::nullopt
                              : std::optional(static_cast<std::size_t>(at - names_.begin()));
}

std::string_view ResourceSchema::unit(std::size_t resource) const {
    BERTH_ASSERT(resource < names_.size(), "a resource is one of the schema");
    const std::string& name = names_[resource];
    if (name == "cpu") {
        return "milli-CPU";
    }
    if (name == device_resource::nvidia_gpu) {
        return "milli-GPU";
    }
    return name == "memory" || name == "ephemeral-storage" ? "bytes" : "units";
}

std::string ResourceSchema::format(std::size_t resource, Amount amount) const {
    if (per_unit(resource) == 1000) {
        return amount % 1000 == 0 ? fmt::format("{}", amount / 1000) : fmt::format("{}m", amount);
    }
    if (unit(resource) == "bytes" && amount != 0) {
        return in_binary(amount < 0, static_cast<Wide>(amount < 0 ? -amount : amount));
    }
    return fmt::format("{}", amount);
}

}  // namespace berth::core

#include "experiments/program/support/measured.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "core/support/parse_number.hpp"
#include "core/tree/resources.hpp"

namespace berth::report {

std::optional<double> seconds_in(std::string_view text) {
    static constexpr std::array<std::pair<std::string_view, double>, 7> units{{{"d", 86'400},
                                                                               {"h", 3'600},
                                                                               {"m", 60},
                                                                               {"s", 1},
                                                                               {"ms", 1e-3},
                                                                               {"us", 1e-6},
                                                                               {"ns", 1e-9}}};
    if (text == "0") {
        return 0;
    }
    double total = 0;
    bool any = false;
    while (!text.empty()) {
        const std::size_t number_end = std::min(text.find_first_not_of("0123456789."), text.size());
        const std::size_t unit_end =
            std::min(text.find_first_of("0123456789.", number_end), text.size());
        const auto number = core::parse_number<double>(text.substr(0, number_end));
        const std::string_view name = text.substr(number_end, unit_end - number_end);
        const auto* const unit =
            std::ranges::find(units, name, [](const auto& u) { return u.first; });
        if (!number || unit == units.end()) {
            return std::nullopt;
        }
        total += *number * unit->second;
        any = true;
        text.remove_prefix(unit_end);
    }
    return any ? std::optional(total) : std::nullopt;
}

std::optional<double> quantity_in(std::string_view text) {
    constexpr double per_unit = 1e9;
    const auto parsed = core::parse_exact_quantity(text);
    const auto* quantity = std::get_if<core::Quantity>(&parsed);
    return quantity != nullptr ? std::optional(static_cast<double>(*quantity) / per_unit)
                               : std::nullopt;
}

}  // namespace berth::report

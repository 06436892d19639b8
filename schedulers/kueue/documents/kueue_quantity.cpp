#include "schedulers/kueue/documents/kueue_quantity.hpp"

#include <algorithm>
#include <cstdint>

namespace berth::experiments {

std::variant<core::Amount, core::QuantityFault> parse_kueue_quantity(std::string_view text,
                                                                     std::string_view resource) {
    const auto parsed = core::parse_exact_quantity(text);
    if (const auto* fault = std::get_if<core::QuantityFault>(&parsed)) {
        if (*fault == core::QuantityFault::overflow) {
            return INT64_MAX;
        }
        return *fault;
    }
    constexpr core::Quantity billion = 1'000'000'000;
    const core::Quantity parts = std::get<core::Quantity>(parsed) * (resource == "cpu" ? 1000 : 1);
    const core::Quantity rounded = parts / billion + (parts > 0 && parts % billion != 0 ? 1 : 0);
    return static_cast<core::Amount>(
        std::clamp(rounded, core::Quantity{INT64_MIN}, core::Quantity{INT64_MAX}));
}

}  // namespace berth::experiments

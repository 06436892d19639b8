#pragma once

#include <string_view>
#include <variant>

#include "core/tree/resources.hpp"

namespace berth::experiments {

/// A Kubernetes quantity as Kueue counts it: CPUs in thousandths, everything else in whole units,
/// rounded up. A value that overflows becomes the greatest amount, which means no limit.
/// Errors: a text that is no quantity, or that has more than nine decimals.
/// Source: Kueue, pkg/resources/requests.go, ResourceValue.
[[nodiscard]] std::variant<core::Amount, core::QuantityFault> parse_kueue_quantity(
    std::string_view text, std::string_view resource);

}  // namespace berth::experiments

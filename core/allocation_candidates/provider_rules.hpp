#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tree/resource_provider.hpp"

namespace berth::core {

/// One fault of one provider in a list.
struct ProviderFault {
    std::size_t provider = 0;  ///< An index into the list.
    /// The field, as the names that lead to it from the provider down: `inventories`, `VCPU`,
    /// `total`.
    std::vector<std::string> field;
    std::string message;  ///< Says what is wrong and what was expected.

    friend bool operator==(const ProviderFault&, const ProviderFault&) = default;
};

/// The largest total, reserved amount, unit, step or usage. It is more than the service accepts,
/// and the sum of two still fits.
inline constexpr Amount provider_amount_max = Amount{1} << 60;

/// All faults in a list of providers, in the order of the list. A ProviderForestBuilder can make a
/// forest of the providers without faults. Usage above the capacity is allowed, and so is a total
/// of 0.
/// Cost: O(length of the texts in the list).
[[nodiscard]] std::vector<ProviderFault> check_providers(
    std::span<const ResourceProvider> providers);

/// Whether a text can be the name of a resource class or trait: 1 to 255 characters of A-Z, 0-9 and
/// `_`.
[[nodiscard]] bool is_placement_name(std::string_view text);

/// What to call a provider in messages: its name, or its uuid if it has none.
[[nodiscard]] const std::string& called(const ResourceProvider& provider);

}  // namespace berth::core

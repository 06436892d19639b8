#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tree/resource_provider.hpp"

namespace berth::core {

/// One thing that is wrong with one provider of a list.
struct ProviderFault {
    std::size_t provider = 0;  ///< An index into the list.
    /// The field, by its names from the provider down: `inventories`, `VCPU`, `total`.
    std::vector<std::string> field;
    std::string message;  ///< What is wrong, and what was expected.

    friend bool operator==(const ProviderFault&, const ProviderFault&) = default;
};

/// The largest total, reserved amount, unit, step or usage. More than the service takes, and a sum
/// of two still has room.
inline constexpr Amount provider_amount_max = Amount{1} << 60;

/// Everything wrong with a list of providers, in the order of the list: of what is left, a
/// ProviderForestBuilder makes a forest. Usage above the capacity is right, and so is a total of 0.
/// Cost: O(length of what they say).
[[nodiscard]] std::vector<ProviderFault> check_providers(
    std::span<const ResourceProvider> providers);

/// Whether a text can be the name of a resource class or trait: 1 to 255 of A-Z, 0-9 and `_`.
[[nodiscard]] bool is_placement_name(std::string_view text);

/// What a provider is called in messages: its name, or its uuid if it has none.
[[nodiscard]] const std::string& called(const ResourceProvider& provider);

}  // namespace berth::core

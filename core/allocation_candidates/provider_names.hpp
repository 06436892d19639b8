#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/allocation_candidates/provider_forest.hpp"

namespace berth::core {

/// The names that every placement service knows: those of os-traits 3.9.0 and of
/// os-resource-classes 1.1.0, sorted.
[[nodiscard]] std::span<const std::string_view> standard_traits();
[[nodiscard]] std::span<const std::string_view> standard_resource_classes();

/// What to call providers in texts for people: their name, or their uuid if they have no name or
/// share it with another provider.
class ProviderNames {
public:
    /// `forest` outlives the names.
    /// Cost: O(providers).
    explicit ProviderNames(const ProviderForest& forest);
    [[nodiscard]] std::string_view operator()(ProviderIndex provider) const {
        return is_unique_[provider] ? forest_.name(provider) : forest_.uuid(provider);
    }

private:
    const ProviderForest& forest_;
    std::vector<bool> is_unique_;  ///< Whether each provider's name is unique.
};

}  // namespace berth::core

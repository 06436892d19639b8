#pragma once

#include <string_view>
#include <vector>

#include "core/allocation_candidates/provider_forest.hpp"

namespace berth::core {

/// What providers are called where people read: by name, or by uuid where a provider has no name or
/// shares it with another.
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
    std::vector<bool> is_unique_;  ///< By provider.
};

}  // namespace berth::core

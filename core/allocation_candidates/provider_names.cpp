#include "core/allocation_candidates/provider_names.hpp"

#include <unordered_map>

namespace berth::core {

ProviderNames::ProviderNames(const ProviderForest& forest)
    : forest_(forest), is_unique_(forest.provider_count(), false) {
    std::unordered_map<std::string_view, ProviderIndex> first;
    first.reserve(forest.provider_count());
    for (ProviderIndex provider = 0; provider < forest.provider_count(); ++provider) {
        const std::string_view name = forest.name(provider);
        const auto [known, fresh] = first.try_emplace(name, provider);
        is_unique_[provider] = fresh && !name.empty();
        if (!fresh) {
            is_unique_[known->second] = false;
        }
    }
}

}  // namespace berth::core

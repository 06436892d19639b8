#include "core/allocation_candidates/provider_names.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace berth::core {

std::span<const std::string_view> standard_traits() {
    static constexpr auto names = std::to_array<std::string_view>({
#define BERTH_TRAIT(name) #name,
#include "core/allocation_candidates/standard_traits.def"
#undef BERTH_TRAIT
    });
    static_assert(std::ranges::is_sorted(names));
    return names;
}

std::span<const std::string_view> standard_resource_classes() {
    static constexpr auto names = std::to_array<std::string_view>({
#define BERTH_RESOURCE_CLASS(name) #name,
#include "core/allocation_candidates/standard_resource_classes.def"
#undef BERTH_RESOURCE_CLASS
    });
    static_assert(std::ranges::is_sorted(names));
    return names;
}

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

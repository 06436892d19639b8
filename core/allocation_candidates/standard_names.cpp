#include "core/allocation_candidates/standard_names.hpp"

#include <algorithm>
#include <array>

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

}  // namespace berth::core

#pragma once

#include <optional>
#include <string_view>

#include "core/group_allocator/group_amounts.hpp"

namespace berth::core {

[[nodiscard]] constexpr bool is_group_resource(std::string_view name) {
    return name.starts_with(group_prefix);
}

/// `name/index/rest`: a resource of the subgroup `index` of the group `name`.
struct SubgroupKey {
    std::string_view name;
    std::string_view index;
    std::string_view rest;
};

/// Splits a key relative to its group; nothing if it is a base resource.
/// Source: Mehrotra, "Group Allocator", eqs. 4 and 8.
[[nodiscard]] constexpr std::optional<SubgroupKey> split_group_key(std::string_view relative) {
    const std::size_t first = relative.find('/');
    if (first == std::string_view::npos) {
        return std::nullopt;
    }
    const std::size_t second = relative.find('/', first + 1);
    if (second == std::string_view::npos) {
        return std::nullopt;
    }
    return SubgroupKey{relative.substr(0, first),
                       relative.substr(first + 1, second - first - 1),
                       relative.substr(second + 1)};
}

/// The part of a full name below `resource/group/`; empty for a name that only begins with the same
/// letters, which is a base resource of the root.
[[nodiscard]] constexpr std::string_view below_group_prefix(std::string_view name) {
    const bool below = name.size() > group_prefix.size() && name[group_prefix.size()] == '/';
    return below ? name.substr(group_prefix.size() + 1) : std::string_view{};
}

}  // namespace berth::core

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/tree/ids.hpp"

namespace berth::core {

/// What every name of a group resource begins with. The group allocator ignores any other resource.
/// Source: KubeDevice-API types.ResourceGroupPrefix; the paper writes it
///         `alpha.kubernetes.io/group-resource`.
inline constexpr std::string_view group_prefix = "resource/group";

/// Amounts by the full name of their resource, in byte order: what a node has, what a container
/// asks for.
using GroupAmounts = std::map<std::string, Amount, std::less<>>;

/// The same where time counts: in byte order, no name twice.
using GroupAmountList = std::vector<std::pair<std::string, Amount>>;

}  // namespace berth::core

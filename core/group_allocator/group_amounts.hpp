#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/tree/ids.hpp"

namespace berth::core {

/// The prefix of every group resource's name. The group allocator ignores all other resources.
/// Source: KubeDevice-API types.ResourceGroupPrefix; the paper writes it
///         `alpha.kubernetes.io/group-resource`.
inline constexpr std::string_view group_prefix = "resource/group";

/// Amounts by the full names of their resources, in byte order: what a node has, or what a
/// container asks for.
using GroupAmounts = std::map<std::string, Amount, std::less<>>;

/// The same where speed matters: in byte order, without repeated names.
using GroupAmountList = std::vector<std::pair<std::string, Amount>>;

}  // namespace berth::core

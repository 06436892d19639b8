#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/tree/topology.hpp"

namespace berth::topologies {

/// `text` as a JSON string, quotes included; what is not UTF-8 is replaced.
[[nodiscard]] std::string json_quoted(std::string_view text);
/// A list of such strings.
[[nodiscard]] std::string json_names(const std::vector<std::string>& names);
/// What a provider has of a class, without what goes without saying: `{"total": 16}`.
[[nodiscard]] std::string json_inventory(const core::ProviderInventory& inventory);

}  // namespace berth::topologies

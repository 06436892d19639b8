#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/tree/topology.hpp"

namespace berth::topologies {

/// `text` as a JSON string, quotes included; bytes that are not UTF-8 are replaced.
[[nodiscard]] std::string json_quoted(std::string_view text);
/// A JSON list of such strings.
[[nodiscard]] std::string json_names(const std::vector<std::string>& names);
/// A provider's inventory of a resource class, without values that equal the default, such as
/// `{"total": 16}`.
[[nodiscard]] std::string json_inventory(const core::ProviderInventory& inventory);

}  // namespace berth::topologies

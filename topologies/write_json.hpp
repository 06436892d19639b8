#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "core/topology.hpp"

namespace berth::topologies {

/// Writes the tree as a `kind: Topology` that lists its nodes one by one, a node a line, which
/// read_topology() reads back as the same tree. Nodes have an `id` only where names repeat.
void write_json(std::ostream& out, const core::Topology& topology);

/// `text` as a JSON string, quotes included; what is no UTF-8 is replaced.
[[nodiscard]] std::string json_quoted(std::string_view text);
/// A list of such strings.
[[nodiscard]] std::string json_names(const std::vector<std::string>& names);
/// What a provider has of a class, without what goes without saying: `{"total": 16}`.
[[nodiscard]] std::string json_inventory(const core::ProviderInventory& inventory);

}  // namespace berth::topologies

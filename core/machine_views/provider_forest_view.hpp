#pragma once

#include <functional>
#include <optional>

#include "core/allocation_candidates/provider_forest.hpp"
#include "core/tree/topology.hpp"

namespace berth::core {

/// Shows each provider of a cluster: first, for each server, the tree that provider_view() makes of
/// its machine type, then the providers that servers share. Each of the latter is the root of its
/// own tree, has the trait that makes it serve others, and is in one aggregate with the servers
/// below its node.
///
/// Order: by server, and in a server's tree parents first; uuids ascend. The same topology has the
///        same uuids every time: `000004d2-0000-4000-8000-000000000003` is the fourth provider of
///        server 1234.
/// Cost:  O(providers); the object that is shown is reused, with other texts each time.
void for_each_provider(const Topology& tree,
                       const std::function<void(const ResourceProvider&)>& visit);

/// All providers as a forest in which the tree of a server has the server's number. Names that
/// occur only in machine types without servers are known too.
/// Cost: O(providers): about a second and 400 MB for 700 000 providers.
[[nodiscard]] ProviderForest provider_forest(const Topology& tree);

[[nodiscard]] inline TreeIndex provider_tree_of(ServerId server) {
    return server.index;
}
/// The server whose tree this is; nothing for the tree of a shared provider.
[[nodiscard]] inline std::optional<ServerId> server_of_providers(TreeIndex tree,
                                                                 const Topology& topology) {
    return tree < topology.server_count() ? std::optional(ServerId{tree}) : std::nullopt;
}

}  // namespace berth::core

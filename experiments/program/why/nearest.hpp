#pragma once

#include <span>
#include <string>
#include <vector>

#include "experiments/program/why/finding.hpp"

namespace berth::experiments {

/// What a server that is up has too little of for one pod.
struct NearServer {
    core::ServerId server;
    std::vector<core::Amount> lacking;  ///< By resource; all 0 where only devices are missing.
    std::int64_t share = 0;             ///< The largest part of the server's own that this is.
};

/// The servers that need the least to be freed for one pod of the job, the least first, then in the
/// order of the tree; those of which no amount is lacking come first. Servers that are too small
/// even when idle are left out.
[[nodiscard]] std::vector<NearServer> nearest_servers(const sim::Turn& turn, std::size_t count);

/// The amounts that are not 0: `cpu 2, memory 4Gi`.
[[nodiscard]] std::string amounts_text(const core::ResourceSchema& schema,
                                       std::span<const core::Amount> amounts);

/// The level that keeps a group out, the deepest of several; the root's if none does.
[[nodiscard]] LevelRoom room_in_the_way(const sim::Turn& turn,
                                        const Finding& finding,
                                        const std::vector<LevelRoom>& rooms);

/// How many members of a running job are below a node, and on it.
[[nodiscard]] core::Members members_below(const sim::JobRecord& running,
                                          core::NodeId node,
                                          const core::Topology& tree);

}  // namespace berth::experiments

#pragma once

#include <span>
#include <string>
#include <vector>

#include "experiments/program/why/finding.hpp"

namespace berth::experiments {

/// A server that is up, and what it lacks for one pod.
struct NearServer {
    core::ServerId server;
    /// The missing amounts, by resource; all 0 if only devices are missing.
    std::vector<core::Amount> lacking;
    std::int64_t share = 0;  ///< The largest share of the server's own amounts that is missing.
};

/// The servers on which the least must be freed for one pod of the job. Those that lack least come
/// first, and equal ones are in the order of the tree; servers that lack no amount come before all
/// others, and servers that the job's specs do not select behind all others. Servers that are too
/// small even when idle are left out.
[[nodiscard]] std::vector<NearServer> nearest_servers(const sim::Turn& turn, std::size_t count);

/// The amounts that are not 0, such as `cpu 2, memory 4Gi`.
[[nodiscard]] std::string amounts_text(const core::ResourceSchema& schema,
                                       std::span<const core::Amount> amounts);

/// The level that keeps a group out, or the deepest of several; the root's level if none does.
[[nodiscard]] LevelRoom room_in_the_way(const sim::Turn& turn,
                                        const Finding& finding,
                                        const std::vector<LevelRoom>& rooms);

/// How many members of a running job are on or below a node.
[[nodiscard]] core::Members members_below(const sim::JobRecord& running,
                                          core::NodeId node,
                                          const core::Topology& tree);

}  // namespace berth::experiments

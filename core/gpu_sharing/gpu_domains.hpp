#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/gpu_sharing/tree_policy.hpp"
#include "core/ledger/ledger.hpp"
#include "core/support/violation.hpp"

namespace berth::core {

/// How many devices are wholly free in each domain of a cluster that shares GPUs.
///
/// Cost: O(depth) for each server that changed.
class GpuDomains {
public:
    explicit GpuDomains(const Ledger& ledger);

    /// Brings the counts up to date with the ledger. Call it before reading, after any change.
    void catch_up();
    /// Counts the devices of a server again before the ledger logs a change of it: a member of a
    /// group has got some of them, and the next member must see that.
    void take_in(ServerId server);
    [[nodiscard]] GpuDomain domain(NodeId node) const;
    /// Compares the counts, which must be caught up, with a count over all servers.
    [[nodiscard]] std::optional<Violation> find_violation() const;

private:
    const Ledger& ledger_;
    const Topology& tree_;
    std::size_t gpu_;
    ChangeReader changes_;
    std::vector<std::int64_t> whole_free_;  ///< The number of wholly free devices below each node.
    std::vector<Level> levels_;             ///< The level of each inner node.
};

}  // namespace berth::core

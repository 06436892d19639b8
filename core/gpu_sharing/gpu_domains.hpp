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

    /// Brings the counts up to the ledger. Call before reading, after any change.
    void catch_up();
    /// Counts a server's devices again, of which the ledger logs no change yet: a member of a group
    /// has got some, and the next one is to see that.
    void take_in(ServerId server);
    [[nodiscard]] GpuDomain domain(NodeId node) const;
    /// Compares the counts, caught up, with those of all servers.
    [[nodiscard]] std::optional<Violation> find_violation() const;

private:
    const Ledger& ledger_;
    const Topology& tree_;
    std::size_t gpu_;
    ChangeReader changes_;
    std::vector<std::int64_t> whole_free_;  ///< By node.
    std::vector<Level> levels_;             ///< By inner node.
};

}  // namespace berth::core

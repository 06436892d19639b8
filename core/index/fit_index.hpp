#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/index/num_fit.hpp"
#include "core/index/server_rule.hpp"
#include "core/index/sorted_children.hpp"
#include "core/ledger/ledger.hpp"
#include "core/support/assert.hpp"
#include "core/support/violation.hpp"
#include "core/tree/ids.hpp"

namespace berth::core {

/// The fit by a resource that is not asked for: the published program's number.
inline constexpr Members unlimited_fit = 2147483647;

/// min over the resources of available / demand, rounded towards zero, so that an over-committed
/// server may have a negative fit; unlimited_fit for a resource with a demand of 0.
[[nodiscard]] inline Members fit_of(std::span<const Amount> available,
                                    std::span<const Amount> demand) {
    BERTH_AUDIT(demand.size() <= available.size(), "a demand is by the schema");
    Members fit = demand.empty() ? unlimited_fit : std::numeric_limits<Members>::max();
    for (std::size_t resource = 0; resource < demand.size(); ++resource) {
        const Amount each = demand[resource];
        fit = std::min(fit, each == 0 ? unlimited_fit : available[resource] / each);
    }
    return fit;
}

/// For one demand shape: how many members fit on each node of the tree, and for a wide node its
/// children in order.
///
/// Cost:   building is O(nodes); afterwards catch_up() costs O(depth) for each server that changed
///         in the ledger since the last time, and one re-ordering for each wide node above them.
/// Order:  a function of the ledger's amounts alone, however many changes were skipped.
class FitIndex {
public:
    /// `demand` is by the ledger's schema. `servers` limits what a server takes besides its
    /// amounts; it may be nullptr, and otherwise outlives the index.
    FitIndex(const Ledger& ledger,
             std::vector<Amount> demand,
             NumFit rule,
             const ServerRule* servers = nullptr);

    /// Brings the index up to the ledger and the rule. Call before reading, after any change.
    void catch_up();

    [[nodiscard]] Members fit(NodeId node) const {
        BERTH_AUDIT(node.index < fit_.size(), "a node is one of the tree's");
        return fit_[node.index];
    }
    [[nodiscard]] const Ledger& ledger() const { return ledger_; }
    /// A wide node's children in order, or nullptr for a node that is not wide.
    [[nodiscard]] const SortedChildren* sorted_children(NodeId inner) const;
    /// Compares it, caught up, with the fits computed afresh, and sorted children with sorted ones.
    /// Cost: as building it.
    [[nodiscard]] std::optional<Violation> find_violation() const;
    /// Server visits so far: tests check that the work follows changes, not size.
    [[nodiscard]] std::uint64_t servers_refitted() const { return servers_refitted_; }

    /// From this number of children on, a node keeps them sorted; below it, sorting the few that
    /// are needed is cheaper than keeping the order.
    static constexpr std::uint32_t wide_node_min = 64;

private:
    [[nodiscard]] Members fit_of_server(NodeId node) const;
    [[nodiscard]] Members most_by_rule(NodeId node, Members fit) const;
    void rebuild();
    void follow(NodeId parent);
    void refit(ChangeReader& changes);
    void settle(std::size_t levels);

    const Ledger& ledger_;
    const Topology& tree_;
    std::vector<Amount> demand_;
    NumFit rule_;
    const ServerRule* servers_;
    bool limited_;  ///< By more than amounts: there is a rule, or nothing is asked for.
    ChangeReader changes_;
    ChangeReader rule_changes_;
    std::uint32_t first_server_;  ///< Its node's number.
    std::vector<Members> fit_;
    std::vector<std::optional<SortedChildren>> sorted_;  ///< By inner node up to the last wide one.
    std::uint64_t servers_refitted_ = 0;

    /// The servers with the same parent.
    struct Siblings {
        std::uint32_t first = 0;  ///< Its node's number.
        std::uint32_t count = 0;
        SortedChildren* sorted = nullptr;  ///< Null unless they are kept in order.
    };
    [[nodiscard]] Siblings siblings_below(NodeId parent);

    /// A node on the path above the server last refitted, and by how much its fit has still to
    /// change.
    struct Pending {
        NodeId node;
        Members delta = 0;
    };
    std::vector<Pending> pending_;  ///< From the servers' parents up to the root.
};

}  // namespace berth::core

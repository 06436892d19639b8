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

/// The fit for a resource that is not asked for, as in the published program.
inline constexpr Members unlimited_fit = 2147483647;

/// The minimum over the resources of available / demand, rounded towards zero, so that an
/// over-committed server may have a negative fit; unlimited_fit for a resource with a demand of 0.
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

/// For one demand shape: how many members fit on each node of the tree and, for a wide node, its
/// children in order.
///
/// Cost:  building is O(nodes); afterwards catch_up() costs O(depth) for each server that changed
///        in the ledger since the last time, and one re-ordering for each wide node above them.
/// Order: the index is a function of the ledger's amounts alone, however many changes were skipped.
class FitIndex {
public:
    /// `demand` is by the ledger's schema. `servers` limits what a server takes beyond its amounts;
    /// it may be nullptr, and otherwise outlives the index.
    FitIndex(const Ledger& ledger,
             std::vector<Amount> demand,
             NumFit rule,
             const ServerRule* servers = nullptr);

    /// Brings the index up to date with the ledger and the rule. Call it before reading, after any
    /// change.
    void catch_up();

    [[nodiscard]] Members fit(NodeId node) const {
        BERTH_AUDIT(node.index < fit_.size(), "a node is one of the tree's");
        return fit_[node.index];
    }
    [[nodiscard]] const Ledger& ledger() const { return ledger_; }
    /// A wide node's children in order, or nullptr for a node that is not wide.
    [[nodiscard]] const SortedChildren* sorted_children(NodeId inner) const;
    /// Compares the index, which must be caught up, with fits computed afresh, and its sorted
    /// children with children sorted afresh.
    /// Cost: that of building the index.
    [[nodiscard]] std::optional<Violation> find_violation() const;
    /// The number of server visits so far. Tests use it to check that the work follows changes and
    /// not size.
    [[nodiscard]] std::uint64_t servers_refitted() const { return servers_refitted_; }

    /// A node with at least this many children keeps them sorted. Below that, sorting the few
    /// children that are needed is cheaper than keeping the order.
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
    bool limited_;  ///< More than amounts limits the fit: there is a rule, or nothing is asked for.
    ChangeReader changes_;
    ChangeReader rule_changes_;
    std::uint32_t first_server_;  ///< The node number of the first server.
    std::vector<Members> fit_;
    /// Sorted children of inner nodes, up to the last wide one; nothing for nodes that are not
    /// wide.
    std::vector<std::optional<SortedChildren>> sorted_;
    std::uint64_t servers_refitted_ = 0;

    /// The servers below the same parent.
    struct Siblings {
        std::uint32_t first = 0;  ///< The node number of the first of them.
        std::uint32_t count = 0;
        SortedChildren* sorted = nullptr;  ///< Null unless they are kept in order.
    };
    [[nodiscard]] Siblings siblings_below(NodeId parent);

    /// A node on the path above the last refitted server, and the change that its fit still needs.
    struct Pending {
        NodeId node;
        Members delta = 0;
    };
    std::vector<Pending> pending_;  ///< The path from the servers' parent up to the root.
};

}  // namespace berth::core

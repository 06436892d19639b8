#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "schedulers/kueue/decide/amounts.hpp"

namespace berth::core::kueue {

/// How much a node borrows, as the greatest share of any one resource.
///
/// Units:  thousandths of what its cohort could lend, divided by the node's weight when shares are
///         compared.
/// Source: Kueue, pkg/cache/scheduler/fair_sharing.go, whose floating point it repeats.
struct DominantShare {
    double ratio = 0;
    double weight = 1;
    FlavorResources borrowed;  ///< The flavor resources that are used above the node's quota.

    [[nodiscard]] bool borrows() const { return !borrowed.empty(); }
    /// Whether the node borrows with a weight of 0, which is more than any share.
    [[nodiscard]] bool is_infinite() const { return weight == 0 && ratio != 0; }
    [[nodiscard]] bool borrows_any_of(const FlavorResourceAmounts& requests) const;
};

/// Compares by share; infinite shares are compared by their ratio.
[[nodiscard]] std::weak_ordering compare(const DominantShare& a, const DominantShare& b);

/// A ClusterQueue or a Cohort.
using QuotaNode = Id<struct QuotaNodeTag>;

/// The quota of a node for one resource of one flavor: what it has, what it may borrow, and what it
/// lends.
struct Quota {
    Amount nominal = 0;
    std::optional<Amount> borrowing_limit;  ///< No limit: all that the cohort has may be taken.
    std::optional<Amount> lending_limit;    ///< No limit: all of nominal is lent.

    friend bool operator==(const Quota&, const Quota&) = default;
};

/// A node that the tree is built from.
struct QuotaNodeSpec {
    std::string name;
    bool is_queue = false;
    /// A stopped queue keeps its quota and its usage in its cohort, but is not listed among its
    /// children.
    bool active = true;
    std::optional<QuotaNode> parent;
    double weight = 1;
    boost::container::flat_map<FlavorResource, Quota> quotas;
};

/// How high in the tree quota is found, and whether something below could be reclaimed for it.
struct BorrowingHeight {
    std::int64_t height = 0;
    bool may_reclaim = false;
};

/// Quota and its usage in a forest of cohorts of any depth, with queues at its leaves.
///
/// A node keeps to itself what it does not lend, and its own usage takes that first. The rest
/// belongs to its cohort, and usage beyond what the node keeps counts there.
///
/// Shape:  built once from its nodes; usage and quotas change. No node is its own ancestor.
/// Cost:   a query or a change of one resource of one flavor is O(depth).
/// Source: Kueue, pkg/cache/scheduler/resource_node.go, fair_sharing.go.
class QuotaTree {
public:
    explicit QuotaTree(std::vector<QuotaNodeSpec> nodes);

    [[nodiscard]] std::size_t size() const { return nodes_.size(); }
    [[nodiscard]] const std::string& name(QuotaNode node) const { return at(node).spec.name; }
    [[nodiscard]] std::optional<QuotaNode> parent(QuotaNode node) const {
        return at(node).spec.parent;
    }
    [[nodiscard]] QuotaNode root(QuotaNode node) const { return at(node).root; }
    /// Whether `ancestor` is above the node or is the node itself.
    [[nodiscard]] bool is_below(QuotaNode node, QuotaNode ancestor) const;
    /// The children, by name; queues that are not active are left out.
    [[nodiscard]] std::span<const QuotaNode> cohorts(QuotaNode cohort) const {
        return at(cohort).cohorts;
    }
    [[nodiscard]] std::span<const QuotaNode> queues(QuotaNode cohort) const {
        return at(cohort).queues;
    }
    /// The node and the cohorts below it: parents before their children, siblings by name.
    [[nodiscard]] std::vector<QuotaNode> cohorts_below(QuotaNode cohort) const;

    [[nodiscard]] Quota quota(QuotaNode node, FlavorResource what) const;
    [[nodiscard]] Amount usage(QuotaNode node, FlavorResource what) const;
    /// The node's own quota, with what is lent to it from below.
    [[nodiscard]] Amount total(QuotaNode node, FlavorResource what) const;
    /// What a queue could take now, including what it may borrow; at least 0.
    [[nodiscard]] Amount available(QuotaNode queue, FlavorResource what) const;
    /// The most that a queue could take if less were used. `less` has, for the queue and each
    /// cohort above it in this order, an upper bound of how much less that is. `unlimited` if one
    /// of these is.
    [[nodiscard]] Amount available_at_most(QuotaNode queue,
                                           FlavorResource what,
                                           std::span<const Amount> less) const;
    /// The most that a node could take if nothing were used.
    [[nodiscard]] Amount potential(QuotaNode node, FlavorResource what) const;
    /// Whether `amount` more would take the node above its own quota.
    [[nodiscard]] bool borrows_with(QuotaNode node, FlavorResource what, Amount amount) const;
    /// Whether the node uses no more than its own quota of each.
    [[nodiscard]] bool within_nominal(QuotaNode node, const FlavorResources& what) const;
    /// Whether the requests fit into the node's own quota. Subtracts from them what the node can
    /// give of what it keeps to itself.
    [[nodiscard]] bool take_own(QuotaNode node, FlavorResourceAmounts& requests) const;
    /// How high the lowest cohort is that has room for another `amount` of a queue.
    [[nodiscard]] BorrowingHeight borrowing_height(QuotaNode queue,
                                                   FlavorResource what,
                                                   Amount amount) const;
    /// What the node uses above its quota, in relation to what its cohort could lend.
    [[nodiscard]] DominantShare share(QuotaNode node) const;

    void add_usage(QuotaNode queue, const FlavorResourceAmounts& usage);
    void remove_usage(QuotaNode queue, const FlavorResourceAmounts& usage);

    /// Changes of usage are on trial from now on, until roll_back().
    void begin_trial();
    /// Restores all usage to what it was when the trial began. The cost is that of the changes
    /// since then.
    void roll_back();
    /// Sets what a node has of its own from now on.
    /// Cost: all cells of the node's tree, as for building it.
    void set_quotas(QuotaNode node, boost::container::flat_map<FlavorResource, Quota> quotas);

    /// The number of cells that were changed so far. Tests use it to check that the work follows
    /// changes and not size.
    [[nodiscard]] std::uint64_t cells_changed() const { return cells_changed_; }

private:
    static constexpr std::uint32_t none = UINT32_MAX;

    /// One resource of one flavor at one node.
    struct Cell {
        Quota quota;
        bool has_quota = false;  ///< There is quota here or at a node below.
        Amount subtree = 0;      ///< The node's quota, with what is lent to it from below.
        Amount kept = 0;         ///< The part of it that the node does not lend.
        Amount potential = 0;    ///< See potential().
        Amount usage = 0;
        std::uint32_t parent = none;  ///< The cell of the cohort.
        std::uint64_t trial = 0;      ///< The trial in which its usage changed last.
    };
    struct Node {
        QuotaNodeSpec spec;
        QuotaNode root;
        std::int64_t height = 0;
        std::vector<QuotaNode> cohorts;
        std::vector<QuotaNode> queues;
        boost::container::flat_map<FlavorResource, std::uint32_t> cells;
        /// For each resource, the most that a child can borrow.
        ResourceAmounts lendable;
    };

    [[nodiscard]] const Node& at(QuotaNode node) const { return nodes_[node.index]; }
    [[nodiscard]] Node& at(QuotaNode node) { return nodes_[node.index]; }
    [[nodiscard]] std::vector<QuotaNode> parents_first() const;
    void connect(const std::vector<QuotaNode>& order);
    void gather_quota(const std::vector<QuotaNode>& order);
    /// Computes how much of the queues' usage counts in each cohort.
    void gather_usage(const std::vector<QuotaNode>& order);
    void measure_lendable(QuotaNode cohort);
    /// The cell of a node. A missing cell is made, together with those of all nodes above.
    std::uint32_t make_cell(QuotaNode node, FlavorResource what);
    /// The cell of a node, or the nearest one above it. A node without a cell has neither quota nor
    /// usage.
    [[nodiscard]] std::uint32_t cell_at_or_above(QuotaNode node, FlavorResource what) const;
    [[nodiscard]] const Cell* find(QuotaNode node, FlavorResource what) const;
    [[nodiscard]] static Amount own_available(const Cell& cell);
    [[nodiscard]] static Amount own_available(const Cell& cell, Amount usage);
    void set_usage(std::uint32_t cell, Amount usage);
    void add(std::uint32_t cell, Amount amount);
    void remove(std::uint32_t cell, Amount amount);

    std::vector<Node> nodes_;
    std::vector<Cell> cells_;
    std::uint64_t cells_changed_ = 0;
    bool on_trial_ = false;
    std::uint64_t trials_ = 0;
    /// The usage of cells before they changed on trial, once for each cell.
    std::vector<std::pair<std::uint32_t, Amount>> before_;
};

}  // namespace berth::core::kueue

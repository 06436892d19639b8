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
/// Units:  thousandths of what its cohort could lend, divided by its weight when compared.
/// Source: Kueue, pkg/cache/scheduler/fair_sharing.go, whose floating point it repeats.
struct DominantShare {
    double ratio = 0;
    double weight = 1;
    FlavorResources borrowed;  ///< What is used above the node's quota.

    [[nodiscard]] bool borrows() const { return !borrowed.empty(); }
    /// Borrowing with a weight of 0, which is more than any share.
    [[nodiscard]] bool is_infinite() const { return weight == 0 && ratio != 0; }
    [[nodiscard]] bool borrows_any_of(const FlavorResourceAmounts& requests) const;
};

/// By share; among infinite ones by their ratio.
[[nodiscard]] std::weak_ordering compare(const DominantShare& a, const DominantShare& b);

/// A ClusterQueue or a Cohort.
using QuotaNode = Id<struct QuotaNodeTag>;

/// What a node has of one resource of one flavor, and what it may borrow and lends of it.
struct Quota {
    Amount nominal = 0;
    std::optional<Amount> borrowing_limit;  ///< Without one, all that the cohort has may be taken.
    std::optional<Amount> lending_limit;    ///< Without one, all of nominal is lent.

    friend bool operator==(const Quota&, const Quota&) = default;
};

/// A node as the tree is built of it.
struct QuotaNodeSpec {
    std::string name;
    bool is_queue = false;
    /// A queue that is stopped keeps its quota and its usage in its cohort, and is no child that
    /// anyone looks at.
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
/// A node keeps to itself what it does not lend, which its own usage takes first; the rest is its
/// cohort's, and usage beyond what it keeps counts there.
///
/// Shape:  built once of its nodes; usage and quotas change. No node is its own ancestor.
/// Cost:   what asks or changes one resource of one flavor costs O(depth).
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
    /// Whether `ancestor` is above the node, or the node itself.
    [[nodiscard]] bool is_below(QuotaNode node, QuotaNode ancestor) const;
    /// Children by name; queues that are not active are left out.
    [[nodiscard]] std::span<const QuotaNode> cohorts(QuotaNode cohort) const {
        return at(cohort).cohorts;
    }
    [[nodiscard]] std::span<const QuotaNode> queues(QuotaNode cohort) const {
        return at(cohort).queues;
    }
    /// The node and the cohorts below it, each before those below it, siblings by name.
    [[nodiscard]] std::vector<QuotaNode> cohorts_below(QuotaNode cohort) const;

    [[nodiscard]] Quota quota(QuotaNode node, FlavorResource what) const;
    [[nodiscard]] Amount usage(QuotaNode node, FlavorResource what) const;
    /// The node's own quota, with what is lent to it from below.
    [[nodiscard]] Amount total(QuotaNode node, FlavorResource what) const;
    /// What a queue could take now, with what it may borrow; at least 0.
    [[nodiscard]] Amount available(QuotaNode queue, FlavorResource what) const;
    /// The most that a queue could take if less were used: of the queue and of each cohort over it,
    /// in this order, at most so much less. Without a limit where one of these is.
    [[nodiscard]] Amount available_at_most(QuotaNode queue,
                                           FlavorResource what,
                                           std::span<const Amount> less) const;
    /// What a node could take at most, if nothing were used.
    [[nodiscard]] Amount potential(QuotaNode node, FlavorResource what) const;
    /// Whether `amount` more would take the node above its own quota.
    [[nodiscard]] bool borrows_with(QuotaNode node, FlavorResource what, Amount amount) const;
    /// Whether the node uses no more than its own quota of each.
    [[nodiscard]] bool within_nominal(QuotaNode node, const FlavorResources& what) const;
    /// Whether the requests fit into the node's own quota. Takes off them what the node can give of
    /// what it keeps to itself.
    [[nodiscard]] bool take_own(QuotaNode node, FlavorResourceAmounts& requests) const;
    /// How high the lowest cohort is in which a queue's further `amount` has room.
    [[nodiscard]] BorrowingHeight borrowing_height(QuotaNode queue,
                                                   FlavorResource what,
                                                   Amount amount) const;
    /// What the node uses above its quota, against what its cohort could lend.
    [[nodiscard]] DominantShare share(QuotaNode node) const;

    void add_usage(QuotaNode queue, const FlavorResourceAmounts& usage);
    void remove_usage(QuotaNode queue, const FlavorResourceAmounts& usage);

    /// From now on, until roll_back(), changes of usage are on trial.
    void begin_trial();
    /// All usage is as it was when the trial began. Costs what was changed since.
    void roll_back();
    /// What a node has of its own from now on.
    /// Cost: all cells of the node's tree, as building it.
    void set_quotas(QuotaNode node, boost::container::flat_map<FlavorResource, Quota> quotas);

    /// Cells that were changed so far: tests check that the work follows changes, not size.
    [[nodiscard]] std::uint64_t cells_changed() const { return cells_changed_; }

private:
    static constexpr std::uint32_t none = UINT32_MAX;

    /// One resource of one flavor at one node.
    struct Cell {
        Quota quota;
        bool has_quota = false;  ///< Here, or at a node below.
        Amount subtree = 0;      ///< The node's quota, with what is lent to it from below.
        Amount kept = 0;         ///< What of it the node does not lend.
        Amount potential = 0;    ///< See potential().
        Amount usage = 0;
        std::uint32_t parent = none;  ///< The cohort's cell.
        std::uint64_t trial = 0;      ///< In which its usage changed last.
    };
    struct Node {
        QuotaNodeSpec spec;
        QuotaNode root;
        std::int64_t height = 0;
        std::vector<QuotaNode> cohorts;
        std::vector<QuotaNode> queues;
        boost::container::flat_map<FlavorResource, std::uint32_t> cells;
        /// By resource, what a child can borrow at most.
        ResourceAmounts lendable;
    };

    [[nodiscard]] const Node& at(QuotaNode node) const { return nodes_[node.index]; }
    [[nodiscard]] Node& at(QuotaNode node) { return nodes_[node.index]; }
    [[nodiscard]] std::vector<QuotaNode> parents_first() const;
    void connect(const std::vector<QuotaNode>& order);
    void gather_quota(const std::vector<QuotaNode>& order);
    /// What of the queues' usage counts in each cohort.
    void gather_usage(const std::vector<QuotaNode>& order);
    void measure_lendable(QuotaNode cohort);
    /// The cell, made if there is none, with those of all nodes above.
    std::uint32_t make_cell(QuotaNode node, FlavorResource what);
    /// The cell, or the nearest one above it; a node without one has neither quota nor usage.
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
    /// The usage of cells before they changed on trial, each once.
    std::vector<std::pair<std::uint32_t, Amount>> before_;
};

}  // namespace berth::core::kueue

#include "core/placement/placement_exact.hpp"

#include <algorithm>
#include <array>
#include <compare>
#include <limits>
#include <optional>

#include "core/support/assert.hpp"

namespace berth::core {
namespace {

/// A server that may hold members of the group, with the bounds of their number.
struct Candidate {
    NodeId node;
    Members at_least = 0;
    Members at_most = 0;
};

/// The cost of a placement, as figures in order of importance: broken constraints, then one figure
/// for each level from the top. Costs of disjoint parts add up, and sums keep the order, which
/// makes the dynamic program exact.
class Cost {
public:
    static constexpr std::size_t figures_max = 17;
    static Cost impossible() {
        Cost cost;
        cost.figures_[0] = std::numeric_limits<std::int64_t>::max();
        return cost;
    }
    [[nodiscard]] bool possible() const {
        return figures_[0] != std::numeric_limits<std::int64_t>::max();
    }
    std::int64_t& broken() { return figures_[0]; }
    std::int64_t& at(Level level) { return figures_[level.index + 1]; }
    /// Adds another cost. Both are possible, and `figures` figures are in use.
    void add(const Cost& other, std::size_t figures) {
        for (std::size_t i = 0; i < figures; ++i) {
            figures_[i] += other.figures_[i];
        }
    }
    friend auto operator<=>(const Cost&, const Cost&) = default;

private:
    std::array<std::int64_t, figures_max> figures_{};
};

/// For each count, the lowest cost of taking that many members. A count beyond the end is
/// impossible.
using Costs = std::vector<Cost>;

/// A node above candidates, or a candidate.
struct Node {
    NodeId node;
    std::size_t level = 0;
    std::vector<std::size_t> children;  ///< Positions among the solver's nodes.
    Members at_least = 0;
    Members at_most = 0;
    Costs costs;  ///< The costs of the whole subtree, including the constraint of its own level.
};

class Solver {
public:
    /// `strict`: a placement that breaks a constraint is impossible; otherwise broken constraints
    /// cost.
    Solver(const GroupRequest& group,
           const Topology& tree,
           const std::vector<Candidate>& candidates,
           bool strict)
        : group_(group), tree_(tree), strict_(strict), figures_(tree.level_count() + 1) {
        BERTH_ASSERT(figures_ <= Cost::figures_max, "no more levels than a cost has figures");
        BERTH_ASSERT(group.constraints.level_count() == tree.level_count(),
                     "a group has a constraint for each level of the tree");
        BERTH_ASSERT(group.size >= 0, "a number of members is asked for");
        for (std::uint32_t level = 0; level < tree.level_count(); ++level) {
            const LevelConstraint& constraint = group.constraints.at(Level{level});
            if (constraint.affinity == Affinity::pack && constraint.hard &&
                constraint.scope == Scope::group) {
                one_node_levels_ = level + 1;
            }
        }
        grow_nodes(candidates);
        for (std::size_t index = nodes_.size(); index-- > 0;) {
            solve(nodes_[index]);
        }
    }

    [[nodiscard]] LogicalTree best() {
        LogicalTree out;
        if (nodes_.empty()) {
            return out;
        }
        const Costs& costs = nodes_.front().costs;
        for (std::size_t count = costs.size(); count-- > 1;) {
            if (costs[count].possible()) {
                trace(nodes_.front(), static_cast<Members>(count), out);
                break;
            }
        }
        BERTH_ASSERT(out.placed() <= group_.size, "no more members are placed than the group has");
        return out;
    }

private:
    const LevelConstraint& constraint(std::size_t level) const {
        return group_.constraints.at(Level{static_cast<std::uint32_t>(level)});
    }

    void grow_nodes(const std::vector<Candidate>& candidates) {
        std::vector<std::size_t> path;
        std::vector<NodeId> ancestors(tree_.level_count());
        for (const Candidate& candidate : candidates) {
            NodeId node = candidate.node;
            for (std::size_t level = tree_.level_count(); level-- > 0;) {
                ancestors[level] = node;
                node = level > 0 ? tree_.parent(node) : node;
            }
            for (std::size_t level = 0; level < ancestors.size(); ++level) {
                if (level >= path.size() || nodes_[path[level]].node != ancestors[level]) {
                    path.resize(level);
                    if (level > 0) {
                        nodes_[path.back()].children.push_back(nodes_.size());
                    }
                    path.push_back(nodes_.size());
                    nodes_.push_back({ancestors[level], level, {}, 0, 0, {}});
                }
                Node& entry = nodes_[path[level]];
                entry.at_least += candidate.at_least;
                entry.at_most = std::min(entry.at_most + candidate.at_most, group_.size);
            }
        }
    }

    void solve(Node& node) {
        Costs costs;
        if (node.children.empty()) {
            costs.assign(static_cast<std::size_t>(node.at_most) + 1, Cost());
            std::fill_n(costs.begin(), static_cast<std::size_t>(node.at_least), Cost::impossible());
        } else {
            costs = choose_row(fill(node, false).reached, usable_children(node), node);
        }
        for (std::size_t count = 1; count < costs.size(); ++count) {
            if (costs[count].possible()) {
                charge_own_level(node.level, static_cast<Members>(count), costs[count]);
            }
        }
        node.costs = std::move(costs);
    }

    /// Adds the cost of `count` members on a node of this level.
    void charge_own_level(std::size_t level, Members count, Cost& cost) const {
        const LevelConstraint& own = constraint(level);
        std::int64_t broken = 0;
        if (own.hard && own.affinity == Affinity::spread) {
            broken += count - 1;
        }
        if (own.range) {
            broken += std::max<Members>(own.range->min - count, 0) +
                      std::max<Members>(count - own.range->max, 0);
        }
        broken += count % own.factor;
        if (level == 0 && own.partitions > 1) {
            broken += own.partitions - 1;
        }
        if (broken > 0 && strict_) {
            cost = Cost::impossible();
            return;
        }
        cost.broken() += broken;
        cost.at(Level{static_cast<std::uint32_t>(level)}) +=
            own.affinity == Affinity::pack ? 1 : count * count;
    }

    /// The limit on the number of children that a node uses.
    struct Usable {
        bool one = false;
        std::uint32_t partitions = 0;  ///< 0: any number.
        [[nodiscard]] bool any() const { return !one && partitions == 0; }
    };
    Usable usable_children(const Node& node) const {
        const LevelConstraint& below = constraint(node.level + 1);
        const bool one =
            (below.hard && below.affinity == Affinity::pack) || node.level + 1 < one_node_levels_;
        return {one, below.partitions};
    }

    /// The knapsack over a node's children: reached[used][count] is the lowest cost of taking
    /// `count` members with `used` children. Without a limit on children, everything is in row 0.
    struct Knapsack {
        std::vector<Costs> reached;
        /// How many members each child takes in the cheapest way, by child, by used and by count.
        std::vector<std::vector<std::vector<std::uint32_t>>> taken;
    };
    Knapsack fill(const Node& node, bool keep_taken) const {
        const std::size_t rows = row_count(node, usable_children(node));
        Knapsack sack{std::vector<Costs>(rows, Costs{Cost::impossible()}), {}};
        sack.reached[0][0] = Cost();
        for (const std::size_t index : node.children) {
            std::vector<std::vector<std::uint32_t>> taken;
            sack.reached = extend(sack.reached, nodes_[index].costs, node.at_most, taken);
            if (keep_taken) {
                sack.taken.push_back(std::move(taken));
            }
        }
        return sack;
    }

    std::size_t row_count(const Node& node, const Usable& usable) const {
        if (usable.any()) {
            return 1;
        }
        const std::size_t used_max =
            std::min(node.children.size(), static_cast<std::size_t>(group_.size));
        const std::size_t wanted = usable.one ? 1 : usable.partitions;
        return 1 + (strict_ ? std::min(wanted, used_max) : used_max);
    }

    /// Adds one child to the knapsack. Of equal costs, the one with fewer members in the later
    /// child wins.
    std::vector<Costs> extend(const std::vector<Costs>& reached,
                              const Costs& own,
                              Members at_most,
                              std::vector<std::vector<std::uint32_t>>& taken) const {
        const std::size_t rows = reached.size();
        std::size_t longest = 0;
        BERTH_AUDIT(!own.empty(), "a node can take no member, if nothing else");
        for (const Costs& row : reached) {
            longest = std::max(longest, row.size());
        }
        const std::size_t length =
            std::min(longest + own.size() - 1, static_cast<std::size_t>(at_most) + 1);
        std::vector<Costs> next(rows, Costs(length, Cost::impossible()));
        taken.assign(rows, std::vector<std::uint32_t>(length, 0));
        for (std::size_t here = 0; here < own.size(); ++here) {
            for (std::size_t row = 0; row < rows && own[here].possible(); ++row) {
                const std::size_t to = row + (rows > 1 && here > 0 ? 1 : 0);
                for (std::size_t before = 0;
                     to < rows && before < reached[row].size() && before + here < length;
                     ++before) {
                    if (!reached[row][before].possible()) {
                        continue;
                    }
                    Cost cost = reached[row][before];
                    cost.add(own[here], figures_);
                    if (cost < next[to][before + here]) {
                        next[to][before + here] = cost;
                        taken[to][before + here] = static_cast<std::uint32_t>(here);
                    }
                }
            }
        }
        return next;
    }

    /// The cost of using that many children, or nothing if that is impossible.
    std::optional<std::int64_t> row_penalty(std::size_t used, const Usable& usable) const {
        if (usable.any() || used == 0) {
            return 0;
        }
        const auto count = static_cast<std::int64_t>(used);
        std::int64_t penalty = usable.one ? count - 1 : 0;
        if (usable.partitions > 0) {
            penalty += std::abs(count - static_cast<std::int64_t>(usable.partitions));
        }
        return strict_ && penalty > 0 ? std::nullopt : std::optional(penalty);
    }

    Costs choose_row(const std::vector<Costs>& reached,
                     const Usable& usable,
                     const Node& node) const {
        Costs best(static_cast<std::size_t>(node.at_most) + 1, Cost::impossible());
        for (std::size_t row = 0; row < reached.size(); ++row) {
            const auto penalty = row_penalty(row, usable);
            for (std::size_t count = 0; penalty && count < reached[row].size(); ++count) {
                if (reached[row][count].possible()) {
                    Cost cost = reached[row][count];
                    cost.broken() += *penalty;
                    best[count] = std::min(best[count], cost);
                }
            }
        }
        return best;
    }

    std::size_t row_of(const std::vector<Costs>& reached,
                       const Usable& usable,
                       std::size_t count) const {
        std::optional<std::size_t> best;
        Cost best_cost = Cost::impossible();
        for (std::size_t row = 0; row < reached.size(); ++row) {
            const auto penalty = row_penalty(row, usable);
            if (!penalty || count >= reached[row].size() || !reached[row][count].possible()) {
                continue;
            }
            Cost cost = reached[row][count];
            cost.broken() += *penalty;
            if (!best || cost < best_cost) {
                best = row;
                best_cost = cost;
            }
        }
        BERTH_ASSERT(best.has_value(), "what was reached once is reached again");
        return *best;
    }

    /// Writes down the subtree's part of the best placement. It computes the knapsacks of used
    /// nodes again, so that the choices need not be kept for all other nodes.
    void trace(const Node& node, Members count, LogicalTree& out) {
        out.nodes.push_back({node.node, count});
        if (node.children.empty()) {
            return;
        }
        const Knapsack sack = fill(node, true);
        auto left = static_cast<std::size_t>(count);
        std::size_t row = row_of(sack.reached, usable_children(node), left);
        std::vector<std::size_t> shares(node.children.size(), 0);
        for (std::size_t child = node.children.size(); child-- > 0;) {
            shares[child] = sack.taken[child][row][left];
            left -= shares[child];
            row -= sack.reached.size() > 1 && shares[child] > 0 ? 1 : 0;
        }
        BERTH_ASSERT(left == 0, "the children of a node share out all its members");
        for (std::size_t child = 0; child < shares.size(); ++child) {
            if (shares[child] > 0) {
                trace(nodes_[node.children[child]], static_cast<Members>(shares[child]), out);
            }
        }
    }

    const GroupRequest& group_;
    const Topology& tree_;
    bool strict_;
    std::size_t figures_;
    std::size_t one_node_levels_ = 0;  ///< Levels 0 .. n-1 have one used node in all.
    std::vector<Node> nodes_;          ///< Nodes, with parents before their children.
};

/// The servers that hold or can hold members.
std::vector<Candidate> candidates_of(const GroupRequest& group,
                                     const FitIndex& fits,
                                     const std::vector<PlacedNode>& claimed) {
    const Topology& tree = fits.ledger().topology();
    std::vector<Candidate> candidates;
    auto next_claimed = claimed.begin();
    for (const NodeId node : tree.level_nodes(tree.server_level())) {
        Candidate candidate{node, 0, std::clamp<Members>(fits.fit(node), 0, group.size)};
        if (next_claimed != claimed.end() && next_claimed->node == node) {
            candidate.at_least = next_claimed->count;
            candidate.at_most = std::min(candidate.at_most + next_claimed->count, group.size);
            ++next_claimed;
        }
        if (candidate.at_most > 0) {
            candidates.push_back(candidate);
        }
    }
    BERTH_ASSERT(next_claimed == claimed.end(),
                 "members that run sit on servers, which come in the order of the tree");
    return candidates;
}

}  // namespace

LogicalTree place_exact(const GroupRequest& group,
                        const FitIndex& fits,
                        const std::vector<PlacedNode>& claimed) {
    const std::vector<Candidate> candidates = candidates_of(group, fits, claimed);
    return Solver(group, fits.ledger().topology(), candidates, true).best();
}

LogicalTree resize_group(const GroupRequest& group,
                         const FitIndex& fits,
                         const std::vector<PlacedNode>& placed) {
    Members members = 0;
    for (const PlacedNode& server : placed) {
        members += server.count;
    }
    std::vector<Candidate> candidates;
    if (members <= group.size) {
        candidates = candidates_of(group, fits, placed);
    } else {
        for (const PlacedNode& server : placed) {
            candidates.push_back({server.node, 0, std::min(server.count, group.size)});
        }
    }
    const Topology& tree = fits.ledger().topology();
    LogicalTree strict = Solver(group, tree, candidates, true).best();
    if (strict.placed() == group.size) {
        return strict;
    }
    return Solver(group, tree, candidates, false).best();
}

}  // namespace berth::core

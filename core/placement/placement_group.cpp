#include "core/placement/placement_group.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>

#include "core/placement/size_range.hpp"
#include "core/support/assert.hpp"

namespace berth::core {
namespace {

/// A child of a narrow node as one number, so that the smallest number is the child to try first:
/// its fit, then its place among its siblings.
template <ChildOrder order>
struct ChildKey {
    static constexpr int offset_bits = 6;
    static_assert(FitIndex::wide_node_min <= 1U << offset_bits);
    /// `fit` is above 0; no cluster holds 2^57 members.
    static std::uint64_t of(Members fit, std::uint32_t offset) {
        BERTH_AUDIT(fit > 0 && offset >> offset_bits == 0,
                    "a key has room for the fit and the place");
        const std::uint64_t rank = static_cast<std::uint64_t>(fit) << offset_bits;
        const std::uint64_t last = ~std::uint64_t{0} << offset_bits;
        return (order == ChildOrder::increasing_fit ? rank : last - rank) | offset;
    }
    static std::uint32_t offset(std::uint64_t key) {
        return static_cast<std::uint32_t>(key) & ((1U << offset_bits) - 1);
    }
};

/// The number of members that already run below each node.
class ClaimedBelow {
public:
    ClaimedBelow() = default;
    explicit ClaimedBelow(const LogicalTree& claimed) : nodes_(claimed.nodes) {
        std::ranges::sort(nodes_, {}, &PlacedNode::node);
    }
    [[nodiscard]] Members at(NodeId node) const {
        const auto found = std::ranges::lower_bound(nodes_, node, {}, &PlacedNode::node);
        return found != nodes_.end() && found->node == node ? found->count : 0;
    }
    /// The nodes among begin .. end-1 that have such members.
    [[nodiscard]] auto between(std::uint32_t begin, std::uint32_t end) const {
        return std::ranges::subrange(
            std::ranges::lower_bound(nodes_, NodeId{begin}, {}, &PlacedNode::node),
            std::ranges::lower_bound(nodes_, NodeId{end}, {}, &PlacedNode::node));
    }

private:
    std::vector<PlacedNode> nodes_;
};

}  // namespace

/// One descent from the root to the servers and back.
struct GroupPlacer::Descent {
    const Topology& tree;
    const FitIndex& fits;
    const LevelConstraints& constraints;
    const ClaimedBelow* claimed;  ///< Null unless some members already run.
    Level server_level;
    std::vector<std::uint64_t>& keys;
    std::vector<std::uint64_t>& of_fit;
    std::uint64_t& visits;
    LogicalTree& out;

    /// How close together fits must be for try_by_bits().
    static constexpr std::uint64_t sets_a_level = 64;
    static_assert(FitIndex::wide_node_min <= 64, "a set has a bit for each child");

    struct Share {
        Members members = 0;        ///< M: the members for this node and the siblings after it.
        std::int64_t siblings = 1;  ///< N: the number of these nodes.
        std::int64_t used = 0;      ///< P: the number of siblings before it that took members.
    };

    Members place(NodeId node, Level level, Share share) {
        ++visits;
        const Members below = claimed != nullptr ? claimed->at(node) : 0;
        const SizeRange range =
            size_range(constraints.at(level), share.members + below, share.siblings, share.used);
        if (range.min == 0) {
            return 0;
        }
        const Members want = std::max(choose(range, fits.fit(node) + below), below);
        if (want == 0) {
            return 0;
        }
        const std::size_t entry = out.nodes.size();
        out.nodes.push_back({node, want});
        if (level == server_level) {
            return want;
        }
        const Members got = place_below(node, level, share.members + below, want, below);
        const bool accepted = claimed != nullptr || (range.min <= got && got <= range.max &&
                                                     round_down(got, range.factor) == got);
        if (got == 0 || !accepted) {
            out.nodes.resize(entry);  // this is the only backtracking
            return 0;
        }
        out.nodes[entry].count = got;
        return got;
    }

    Members place_below(NodeId node, Level level, Members total, Members want, Members below) {
        const Level child_level{level.index + 1};
        const LevelConstraint& constraint = constraints.at(child_level);
        Loop loop{child_level, want, below, 0, 0, 0};
        if (constraint.partitions > 0) {
            place_in_window(node, level, claimed != nullptr ? total : want, loop);
            return loop.got;
        }
        loop.siblings = tree.child_end(node) - tree.child_begin(node);
        Members useful = least_useful_fit(constraint, want);
        if (claimed != nullptr) {
            try_claimed_children(node, constraint.affinity, loop);
            // With claimed members below, what a hard pack still has to place shrinks on the way.
            useful = constraint.hard ? 1 : useful;
        }
        if (constraint.affinity == Affinity::pack) {
            try_by_fit<ChildOrder::decreasing_fit>(node, useful, loop);
        } else {
            try_by_fit<ChildOrder::increasing_fit>(node, useful, loop);
        }
        return loop.got;
    }

    /// The state of the loop over the children of one node.
    struct Loop {
        Level level;
        Members want;  ///< Members still to be placed, including claimed ones.
        /// The claimed ones among them, below children that are not tried yet.
        Members claimed_left;
        std::int64_t siblings;  ///< The number of children that are not tried yet.
        std::int64_t used;
        Members got;
    };

    /// The same as place(), for a server when no member of the group runs yet: there is no node
    /// below it that could take less than it does.
    Members place_on_server(NodeId server, Share share) {
        ++visits;
        const SizeRange range =
            size_range(constraints.at(server_level), share.members, share.siblings, share.used);
        const Members want = range.min == 0 ? 0 : choose(range, fits.fit(server));
        if (want > 0) {
            out.nodes.push_back({server, want});
        }
        return want;
    }

    void try_child(NodeId child, Loop& loop) {
        const Members fresh = std::max<Members>(loop.want - loop.claimed_left, 0);
        const Share share{fresh, loop.siblings, loop.used};
        const Members placed = claimed == nullptr && loop.level == server_level
                                   ? place_on_server(child, share)
                                   : place(child, loop.level, share);
        --loop.siblings;
        if (placed > 0) {
            loop.got += placed;
            loop.want -= placed;
            loop.claimed_left -= claimed != nullptr ? std::min(placed, claimed->at(child)) : 0;
            ++loop.used;
        }
    }

    /// Children with claimed members come first, the fullest of them first.
    void try_claimed_children(NodeId node, Affinity affinity, Loop& loop) {
        const auto some = claimed->between(tree.child_begin(node), tree.child_end(node));
        std::vector<PlacedNode> with_claims(some.begin(), some.end());
        std::ranges::sort(with_claims, [&](const PlacedNode& a, const PlacedNode& b) {
            if (a.count != b.count) {
                return a.count > b.count;
            }
            const Members fit_a = fits.fit(a.node);
            const Members fit_b = fits.fit(b.node);
            if (fit_a != fit_b) {
                return affinity == Affinity::pack ? fit_a > fit_b : fit_a < fit_b;
            }
            return a.node < b.node;
        });
        for (const PlacedNode& child : with_claims) {
            if (loop.want <= 0) {
                return;
            }
            try_child(child.node, loop);
        }
    }

    template <ChildOrder order>
    void try_by_fit(NodeId node, Members useful, Loop& loop) {
        if (const SortedChildren* sorted = fits.sorted_children(node)) {
            try_sorted<order>(*sorted, node, useful, loop);
        } else if (claimed != nullptr || !try_by_bits<order>(node, useful, loop)) {
            try_by_heap<order>(node, useful, loop);
        }
    }

    /// Tries the children of a narrow node when no member of the group runs yet and their fits lie
    /// close together: there is a set of children for each fit, with one bit for each child.
    /// Returns whether the fits lie close together.
    template <ChildOrder order>
    bool try_by_bits(NodeId node, Members useful, Loop& loop) {
        const std::uint32_t first_child = tree.child_begin(node);
        const std::uint32_t children = tree.child_end(node) - first_child;
        std::uint64_t* const sets = &of_fit[loop.level.index * sets_a_level];
        std::uint64_t some = 0;  // the fits that occur, modulo sets_a_level
        Members least = std::numeric_limits<Members>::max();
        Members most = useful;
        std::int64_t useless = 0;
        std::uint64_t bit = 1;
        for (std::uint32_t child = 0; child < children; ++child, bit <<= 1) {
            const Members fit = fits.fit(NodeId{first_child + child});
            if (fit < useful) {
                ++useless;
                continue;
            }
            least = std::min(least, fit);
            most = std::max(most, fit);
            const std::uint64_t set = static_cast<std::uint64_t>(fit) % sets_a_level;
            sets[set] |= bit;
            some |= std::uint64_t{1} << set;
        }
        const auto empty_sets = [&] {
            for (; some != 0; some &= some - 1) {
                sets[std::countr_zero(some)] = 0;
            }
        };
        if (some != 0 && most - least >= Members{sets_a_level}) {
            empty_sets();
            return false;
        }
        if (order == ChildOrder::increasing_fit) {
            loop.siblings -= useless;  // these stand first and would take nothing
        }
        const int turn = static_cast<int>(static_cast<std::uint64_t>(least) % sets_a_level);
        while (loop.want > 0 && some != 0) {
            const std::uint64_t by_fit = std::rotr(some, turn);  // from the least fit on
            const int next = order == ChildOrder::increasing_fit ? std::countr_zero(by_fit)
                                                                 : 63 - std::countl_zero(by_fit);
            std::uint64_t& set = sets[static_cast<std::uint64_t>(next + turn) % sets_a_level];
            const auto child = static_cast<std::uint32_t>(std::countr_zero(set));
            set &= set - 1;
            if (set == 0) {
                some &= ~std::rotl(std::uint64_t{1}, next + turn);
            }
            try_child(NodeId{first_child + child}, loop);
        }
        empty_sets();
        return true;
    }

    template <ChildOrder order>
    void try_by_heap(NodeId node, Members useful, Loop& loop) {
        const std::uint32_t first_child = tree.child_begin(node);
        const std::size_t base = keys.size();
        std::int64_t useless = 0;
        for (std::uint32_t index = first_child; index < tree.child_end(node); ++index) {
            const Members fit = fits.fit(NodeId{index});
            if (claimed != nullptr && claimed->at(NodeId{index}) > 0) {
                continue;
            }
            if (fit >= useful) {
                keys.push_back(ChildKey<order>::of(fit, index - first_child));
            } else {
                ++useless;
            }
        }
        if (order == ChildOrder::increasing_fit) {
            loop.siblings -= useless;  // these stand first and would take nothing
        }
        // A heap yields the first few in order without sorting the rest.
        const auto first = [&] { return keys.begin() + static_cast<std::ptrdiff_t>(base); };
        std::make_heap(first(), keys.end(), std::greater());
        while (loop.want > 0 && keys.size() > base) {
            std::pop_heap(first(), keys.end(), std::greater());
            const std::uint32_t offset = ChildKey<order>::offset(keys.back());
            keys.pop_back();
            try_child(NodeId{first_child + offset}, loop);
        }
        keys.resize(base);
    }

    template <ChildOrder order>
    void try_sorted(const SortedChildren& sorted, NodeId node, Members useful, Loop& loop) {
        if (order == ChildOrder::increasing_fit) {
            auto useless = static_cast<std::int64_t>(sorted.count_below(useful));
            if (claimed != nullptr) {
                for (const PlacedNode& child :
                     claimed->between(tree.child_begin(node), tree.child_end(node))) {
                    useless -= fits.fit(child.node) < useful ? 1 : 0;
                }
            }
            loop.siblings -= useless;
        }
        for (auto cursor = sorted.walk(order, useful);
             loop.want > 0 && !cursor.done() && cursor.child().fit >= useful;
             cursor.next()) {
            if (claimed == nullptr || claimed->at(cursor.child().node) == 0) {
                try_child(cursor.child().node, loop);
            }
        }
    }

    /// With partitions, only that many children are tried: the head of the sorted list, or its tail
    /// if the constraint of the node's own level is a spread.
    void place_in_window(NodeId node, Level level, Members enough, Loop& loop) {
        const LevelConstraint& constraint = constraints.at(loop.level);
        const std::size_t partitions = constraint.partitions;
        const Members lowest = constraint.range ? constraint.range->min : 1;
        std::vector<Child> sorted;
        for (const NodeId child : tree.children(node)) {
            sorted.push_back({fits.fit(child), child});
        }
        if (partitions > sorted.size() || enough / lowest < static_cast<Members>(partitions)) {
            return;
        }
        const auto below = [&](NodeId child) { return claimed ? claimed->at(child) : 0; };
        std::ranges::sort(sorted, [&](const Child& a, const Child& b) {
            const Members below_a = below(a.node);
            const Members below_b = below(b.node);
            if (below_a != below_b) {
                return below_a > below_b;
            }
            return constraint.affinity == Affinity::pack
                       ? TriedBefore<ChildOrder::decreasing_fit>()(a, b)
                       : TriedBefore<ChildOrder::increasing_fit>()(a, b);
        });
        const bool tail = constraints.at(level).affinity == Affinity::spread;
        loop.siblings = static_cast<std::int64_t>(partitions);
        for (std::size_t i = tail ? sorted.size() - partitions : 0;
             i < sorted.size() && loop.want > 0;
             ++i) {
            try_child(sorted[i].node, loop);
        }
    }
};

LogicalTree GroupPlacer::descend(const GroupRequest& group,
                                 const FitIndex& fits,
                                 const std::vector<PlacedNode>* claimed) {
    const Topology& tree = fits.ledger().topology();
    std::optional<ClaimedBelow> below;
    Members rest = group.size;
    if (claimed != nullptr) {
        const LogicalTree running = logical_tree(*claimed, tree);
        rest -= running.placed();
        below.emplace(running);
    }
    BERTH_ASSERT(rest >= 0, "no more members run than the group has");
    BERTH_ASSERT(group.constraints.level_count() == tree.level_count(),
                 "a group has a constraint for each level of the tree");
    keys_.clear();
    of_fit_.resize(tree.level_count() * Descent::sets_a_level);
    placed_.nodes.clear();
    Descent descent{tree,
                    fits,
                    group.constraints,
                    below ? &*below : nullptr,
                    tree.server_level(),
                    keys_,
                    of_fit_,
                    visits_,
                    placed_};
    descent.place(tree.root(), Level{0}, {rest, 1, 0});
    BERTH_ASSERT(keys_.empty(), "each node of the descent leaves the stack as it was");
    BERTH_AUDIT(std::ranges::count(of_fit_, 0U) == std::ssize(of_fit_),
                "each node of the descent leaves its sets empty");
    BERTH_ASSERT(claimed != nullptr || placed_.placed() <= group.size,
                 "no more members are placed than the group has");
    return placed_;
}

namespace {

/// The deepest level at which a pack (or only a hard pack) asks for the whole group in one node.
std::optional<Level> one_node_level(const LevelConstraints& constraints, bool hard_only) {
    for (std::uint32_t level = constraints.level_count(); level-- > 0;) {
        const LevelConstraint& constraint = constraints.at(Level{level});
        if (constraint.affinity == Affinity::pack && constraint.scope == Scope::group &&
            (constraint.hard || !hard_only)) {
            return Level{level};
        }
    }
    return std::nullopt;
}

/// The same request with the whole group in one node of `deepest`, and so in one node of every
/// level above it.
GroupRequest confined(const GroupRequest& group, Level deepest) {
    GroupRequest strict = group;
    LevelConstraint one_node;
    one_node.hard = true;
    for (std::uint32_t level = 0; level <= deepest.index; ++level) {
        if (const LevelConstraint& constraint = group.constraints.at(Level{level});
            !constraint.hard || constraint.affinity == Affinity::pack) {
            strict.constraints.set(Level{level}, one_node);
        }
    }
    return strict;
}

/// The request with what has to hold regardless of soft constraints: hard packs of the whole group.
/// Nothing if there is none, so that the group stays as it is. Below a hard spread, which has one
/// member in each node, the one node of such a pack has one member in all.
std::optional<GroupRequest> must(const GroupRequest& group) {
    const auto hard = one_node_level(group.constraints, true);
    if (!hard) {
        return std::nullopt;
    }
    GroupRequest strict = confined(group, *hard);
    for (std::uint32_t level = 0; level < hard->index; ++level) {
        const LevelConstraint& above = group.constraints.at(Level{level});
        if (above.hard && above.affinity == Affinity::spread) {
            strict.size = std::min<Members>(strict.size, 1);
        }
    }
    return strict;
}

}  // namespace

LogicalTree GroupPlacer::place(const GroupRequest& group, const FitIndex& fits) {
    const auto deepest = one_node_level(group.constraints, false);
    if (deepest && !group.constraints.at(*deepest).hard) {
        // A soft wish for one node is tried first, and is given up if it cannot hold.
        LogicalTree strict = descend(confined(group, *deepest), fits, nullptr);
        if (strict.placed() == group.size) {
            return strict;
        }
    }
    const auto strict = must(group);
    return descend(strict ? *strict : group, fits, nullptr);
}

LogicalTree GroupPlacer::place_rest(const GroupRequest& group,
                                    const FitIndex& fits,
                                    const std::vector<PlacedNode>& claimed) {
    const Topology& tree = fits.ledger().topology();
    LogicalTree running = logical_tree(claimed, tree);
    BERTH_ASSERT(running.placed() <= group.size, "no more members run than the group has");
    const auto strict = must(group);
    const GroupRequest& asked = strict ? *strict : group;
    if (running.placed() >= asked.size) {
        return running;
    }
    return descend(asked, fits, &claimed);
}

}  // namespace berth::core

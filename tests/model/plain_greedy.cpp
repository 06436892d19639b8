#include <algorithm>
#include <vector>

#include "tests/model/plain_gangs.hpp"

namespace berth::tests {
namespace {

using core::Members;
using core::NodeId;

struct Range {
    Members min = 0;
    Members desired = 0;
    Members max = 0;
    Members factor = 1;
};

/// How many of `members` a node may take; they are for it and for the siblings not yet tried,
/// `slots` nodes in all; `used` siblings have taken some.
std::optional<Range> range_of(const core::LevelConstraint& own,
                              Members members,
                              Members slots,
                              Members used) {
    if (members <= 0 || slots <= 0) {
        return std::nullopt;
    }
    const bool pack = own.affinity == core::Affinity::pack;
    if (own.hard) {
        return pack ? Range{members, members, members} : Range{1, 1, 1};
    }
    Members left = -1;
    if (own.partitions > 0) {
        left = static_cast<Members>(own.partitions) - used;
        if (left <= 0 || left > slots) {
            return std::nullopt;
        }
    }
    const Members lowest = own.range ? own.range->min : 1;
    const Members leave = left > 1 ? (left - 1) * lowest : 0;
    if (members < lowest + leave) {
        return std::nullopt;
    }
    const Members sharers = left > 0 ? left : slots;
    const Members even = std::max<Members>(1, (2 * members + sharers) / (2 * sharers));
    Range range{lowest, pack ? members - leave : even, pack ? members - leave : members};
    if (own.range) {
        range.max = own.range->max;
        range.desired = std::min(pack ? members - leave : std::max(even, lowest), range.max);
    }
    range.factor = own.factor;
    range.min = (range.min + own.factor - 1) / own.factor * own.factor;
    range.desired = range.desired / own.factor * own.factor;
    range.max = range.max / own.factor * own.factor;
    if (range.desired <= 0 || range.min > range.desired || range.desired > range.max) {
        return std::nullopt;
    }
    return range;
}

class Greedy {
public:
    explicit Greedy(const PlainGang& group) : group_(group), tree_(*group.cluster.tree) {}

    PlainPlaces run() {
        const NodeId root = tree_.root();
        return place(root, 1, group_.size - running(root), 0);
    }

private:
    [[nodiscard]] Members running(NodeId node) const {
        if (tree_.is_server(node)) {
            const auto here = group_.running.find(node);
            return here == group_.running.end() ? 0 : here->second;
        }
        Members sum = 0;
        for (const NodeId child : tree_.children(node)) {
            sum += running(child);
        }
        return sum;
    }
    /// Free room plus the members that run there.
    [[nodiscard]] Members fit(NodeId node) const {
        return group_.cluster.fit(group_.job, node, group_.rule) + running(node);
    }

    PlainPlaces place(NodeId node, Members slots, Members members, Members used) {
        const core::Level level = tree_.level_of(node);
        const Members here = running(node);
        const auto range = range_of(group_.constraint(level), members + here, slots, used);
        if (!range) {
            return {};
        }
        Members want = 0;
        if (const Members fits = fit(node); fits >= range->min && fits > 0) {
            want = std::min({fits / range->factor * range->factor, range->max, range->desired});
        }
        want = std::max(want, here);
        if (want == 0) {
            return {};
        }
        if (tree_.is_server(node)) {
            return {{node, want}};
        }
        PlainPlaces below = place_below(node, want, members + here);
        const Members got = count_of(below);
        const bool as_asked = range->min <= got && got <= range->max && got % range->factor == 0;
        return group_.running.empty() && !as_asked ? PlainPlaces() : below;
    }

    PlainPlaces place_below(NodeId node, Members want, Members total) {
        const core::Level level = tree_.level_of(node);
        const core::LevelConstraint& below = group_.constraint(core::Level{level.index + 1});
        const auto partitions = static_cast<Members>(below.partitions);
        const Members lowest = below.range ? below.range->min : 1;
        std::vector<NodeId> children;
        for (const NodeId child : tree_.children(node)) {
            children.push_back(child);
        }
        const auto child_count = std::ssize(children);
        const Members enough = group_.running.empty() ? want : total;
        if (partitions > child_count || enough < partitions * lowest) {
            return {};
        }
        const bool pack = below.affinity == core::Affinity::pack;
        std::ranges::stable_sort(children, [&](NodeId a, NodeId b) {
            if (running(a) != running(b)) {
                return running(a) > running(b);
            }
            return pack ? fit(a) > fit(b) : fit(a) < fit(b);
        });
        const bool tail =
            partitions > 0 && group_.constraint(level).affinity == core::Affinity::spread;
        Members slots = partitions > 0 ? partitions : child_count;
        Members still_running = running(node);
        Members used = 0;
        PlainPlaces out;
        for (auto i = tail ? child_count - partitions : 0; i < child_count && want > 0; ++i) {
            const NodeId child = children[static_cast<std::size_t>(i)];
            const PlainPlaces placed =
                place(child, slots, std::max<Members>(want - still_running, 0), used);
            --slots;
            if (const Members count = count_of(placed); count > 0) {
                out.insert(out.end(), placed.begin(), placed.end());
                want -= count;
                still_running -= std::min(count, running(child));
                ++used;
            }
        }
        return out;
    }

    const PlainGang& group_;
    const core::Topology& tree_;
};

}  // namespace

PlainPlaces place_greedily(const PlainGang& group) {
    return Greedy(group).run();
}

}  // namespace berth::tests

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/model/plain_gangs.hpp"

namespace berth::tests {
namespace {

using core::Affinity;
using core::Members;
using core::NodeId;

/// The quality of one way to place members: smaller is better.
struct Worth {
    /// Members and nodes too many or too few under the constraints, at all levels.
    Members broken = 0;
    /// Cost by level: nodes in use where the level packs, else the sum of squares.
    std::vector<Members> by_level;
    /// Tie breakers, node by node: children in use, then members of each child, the last child
    /// first.
    std::vector<Members> ties;

    friend auto operator<=>(const Worth&, const Worth&) = default;
};

class Rules {
public:
    explicit Rules(const PlainGang& group) : group_(group), tree_(*group.cluster.tree) {}

    [[nodiscard]] Worth worth(const PlainCounts& counts) const {
        Worth out;
        out.by_level.resize(tree_.level_count());
        add(tree_.root(), counts, out);
        return out;
    }

private:
    [[nodiscard]] Members below(NodeId node, const PlainCounts& counts) const {
        if (tree_.is_server(node)) {
            const auto here = counts.find(node);
            return here == counts.end() ? 0 : here->second;
        }
        Members sum = 0;
        for (const NodeId child : tree_.children(node)) {
            sum += below(child, counts);
        }
        return sum;
    }

    void add(NodeId node, const PlainCounts& counts, Worth& out) const {
        const Members members = below(node, counts);
        if (members == 0) {
            return;
        }
        const core::Level level = tree_.level_of(node);
        const core::LevelConstraint& own = group_.constraint(level);
        const bool pack = own.affinity == Affinity::pack;
        out.broken += own.hard && !pack ? members - 1 : 0;
        if (own.range) {
            out.broken += std::max<Members>(own.range->min - members, 0);
            out.broken += std::max<Members>(members - own.range->max, 0);
        }
        out.broken += members % own.factor;
        if (level.index == 0 && own.partitions > 1) {
            out.broken += own.partitions - 1;
        }
        out.by_level[level.index] += pack ? 1 : members * members;
        if (!tree_.is_server(node)) {
            add_children(node, counts, out);
        }
    }

    void add_children(NodeId node, const PlainCounts& counts, Worth& out) const {
        const core::LevelConstraint& below_it =
            group_.constraint(core::Level{tree_.level_of(node).index + 1});
        std::vector<NodeId> children;
        Members used = 0;
        for (const NodeId child : tree_.children(node)) {
            children.push_back(child);
            used += below(child, counts) > 0 ? 1 : 0;
        }
        const bool one = below_it.hard && below_it.affinity == Affinity::pack;
        const auto partitions = static_cast<Members>(below_it.partitions);
        out.broken += one ? used - 1 : 0;
        out.broken += partitions > 0 ? std::abs(used - partitions) : 0;
        out.ties.push_back(one || partitions > 0 ? used : 0);
        for (auto child = children.rbegin(); child != children.rend(); ++child) {
            out.ties.push_back(below(*child, counts));
        }
        for (const NodeId child : children) {
            add(child, counts, out);
        }
    }

    const PlainGang& group_;
    const core::Topology& tree_;
};

/// The least and the greatest number of members of a server.
struct Room {
    NodeId server;
    Members least = 0;
    Members most = 0;
};

std::vector<Room> rooms(const PlainGang& group) {
    const core::Topology& tree = *group.cluster.tree;
    std::vector<Room> out;
    for (const NodeId server : tree.level_nodes(tree.server_level())) {
        const auto here = group.running.find(server);
        const Members running = here == group.running.end() ? 0 : here->second;
        const Members fit = std::max<Members>(group.cluster.fit(group.job, server, group.rule), 0);
        out.push_back({server, running, std::min(fit + running, group.size)});
    }
    return out;
}

/// Calls `visit` for every way to have at most `most` members in the rooms.
void each_way(const std::vector<Room>& rooms,
              Members most,
              const std::function<void(const PlainCounts&)>& visit) {
    PlainCounts counts;
    const std::function<void(std::size_t, Members)> choose = [&](std::size_t at, Members left) {
        if (at == rooms.size()) {
            visit(counts);
            return;
        }
        const Room& room = rooms[at];
        for (Members count = room.least; count <= std::min(room.most, left); ++count) {
            if (count > 0) {
                counts[room.server] = count;
            }
            choose(at + 1, left - count);
        }
        counts.erase(room.server);
    };
    choose(0, most);
}

/// The way with the most members; of several, the best one.
std::optional<PlainCounts> best_way(const PlainGang& group,
                                    const std::vector<Room>& rooms,
                                    bool strict) {
    const Rules rules(group);
    std::optional<PlainCounts> best;
    Members best_count = 0;
    Worth best_worth;
    each_way(rooms, group.size, [&](const PlainCounts& counts) {
        const Members count = count_of(counts);
        if (count == 0 || count < best_count) {
            return;
        }
        Worth worth = rules.worth(counts);
        if ((!strict || worth.broken == 0) && (count > best_count || worth < best_worth)) {
            best = counts;
            best_count = count;
            best_worth = std::move(worth);
        }
    });
    return best;
}

}  // namespace

PlainCounts place_best(const PlainGang& group) {
    return best_way(group, rooms(group), true).value_or(PlainCounts());
}

std::optional<PlainCounts> resize_best(const PlainGang& group) {
    std::vector<Room> rooms;
    if (count_of(group.running) <= group.size) {
        rooms = tests::rooms(group);
    } else {
        for (const auto& [server, count] : group.running) {
            rooms.push_back({server, 0, std::min(count, group.size)});
        }
    }
    auto way = best_way(group, rooms, true);
    if (!way || count_of(*way) < group.size) {
        way = best_way(group, rooms, false);
    }
    return way && count_of(*way) == group.size ? way : std::nullopt;
}

}  // namespace berth::tests

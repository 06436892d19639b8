#include <fmt/format.h>

#include <string>
#include <vector>

#include "sim/run/outages.hpp"

namespace berth::sim {

using core::NodeId;
using core::Violation;

/// Checks that a server is there if no event, no drain and no known outage of it, or of a node
/// above it, takes it out, and it is not a spare. If it is there and an outage is not known yet, it
/// is broken.
std::optional<Violation> Outages::find_violation() const {
    const core::Topology& tree = cluster_.topology();
    std::vector<std::uint32_t> failed(tree.node_count());
    std::vector<std::uint32_t> unnoticed(tree.node_count());
    std::uint64_t open = 0;
    for (const Entry& entry : outages_) {
        (entry.detected ? failed : unnoticed)[entry.outage.node.index] += entry.over ? 0 : 1;
        open += entry.over ? 0 : 1;
    }
    if (open != open_) {
        return Violation{"what is out is counted",
                         "the cluster",
                         fmt::format("{}", open_),
                         fmt::format("{}", open)};
    }
    for (std::uint32_t node = 0; node < tree.node_count(); ++node) {
        const NodeId id{node};
        failed[node] += node > 0 ? failed[tree.parent(id).index] : 0;
        unnoticed[node] += node > 0 ? unnoticed[tree.parent(id).index] : 0;
        const std::string where(tree.name(id));
        const std::uint32_t held = holds_.empty() ? 0 : holds_[node];
        const std::uint32_t hidden = hidden_.empty() ? 0 : hidden_[node];
        if (held != failed[node] || hidden != unnoticed[node]) {
            return Violation{"a node is held by its outages and those above it",
                             where,
                             fmt::format("{} known, {} not yet", held, hidden),
                             fmt::format("{} and {}", failed[node], unnoticed[node])};
        }
        const bool drained = tree.is_server(id) && drained_[tree.server_of(id).index];
        const bool gone =
            failed[node] > 0 || (tree.is_server(id) && taken_away_[tree.server_of(id).index]);
        const bool spare = tree.is_server(id) && cluster_.is_spare(tree.server_of(id));
        if (spare && (gone || drained)) {
            return Violation{
                "a spare that fails or is drained is none any more", where, "a spare", "none"};
        }
        const bool out = gone || drained || spare;
        if (tree.is_server(id) && cluster_.ledger().is_up(tree.server_of(id)) == out) {
            return Violation{"a server is there unless something has it out",
                             where,
                             out ? "it is there" : "it is not there",
                             out ? "not there" : "there"};
        }
        if (tree.is_server(id) && cluster_.is_drained(tree.server_of(id)) != (drained && !gone)) {
            return Violation{"plans count on a server that is away for a drain alone",
                             where,
                             gone ? "they do" : "they do not",
                             gone ? "not" : "that they do"};
        }
        const bool broken = !out && unnoticed[node] > 0;
        if (tree.is_server(id) && jobs_.is_broken(tree.server_of(id)) != broken) {
            return Violation{"a server is broken while its failure is not known",
                             where,
                             broken ? "it works" : "it is broken",
                             broken ? "broken" : "working"};
        }
    }
    return std::nullopt;
}

}  // namespace berth::sim

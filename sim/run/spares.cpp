#include "sim/run/spares.hpp"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "core/support/assert.hpp"
#include "sim/cluster/drain_calendar.hpp"

namespace berth::sim {

using core::NodeId;
using core::ServerId;
using core::Violation;

namespace {

/// The level of the lowest node that both servers are below.
core::Level common_level(const core::Topology& tree, ServerId a, ServerId b) {
    NodeId above_a = tree.node_of(a);
    NodeId above_b = tree.node_of(b);
    while (above_a != above_b) {
        above_a = tree.parent(above_a);
        above_b = tree.parent(above_b);
    }
    return tree.level_of(above_a);
}

}  // namespace

Spares::Spares(Cluster& cluster, JobLife& jobs, Outages& outages, const SpareServers& kept)
    : cluster_(cluster),
      jobs_(jobs),
      outages_(outages),
      kept_(kept.count),
      of_server_(cluster.topology().server_count()),
      changes_(&cluster.ledger().changes()) {
    const core::Topology& tree = cluster.topology();
    for (const NodeId node : tree.level_nodes(kept.level)) {
        nodes_.emplace_back();
        for (const ServerId server : servers_below(tree, node)) {
            of_server_[server.index] = static_cast<std::uint32_t>(nodes_.size() - 1);
            look_at(server);
        }
    }
}

bool Spares::is_empty(ServerId server) const {
    return cluster_.ledger().is_up(server) && jobs_.is_empty(server);
}

void Spares::look_at(ServerId server) {
    Node& node = node_of(server);
    if (is_empty(server)) {
        node.empty.insert(server);
    } else {
        node.empty.erase(server);
    }
    changed_.insert(of_server_[server.index]);
}

void Spares::look_at_changes() {
    if (changes_.has_missed()) {
        for (std::uint32_t server = 0; server < of_server_.size(); ++server) {
            look_at(ServerId{server});
        }
        changes_.skip();
    }
    changes_.each([this](ServerId server) { look_at(server); });
}

/// Servers that failed or were drained in the meantime are no longer spares.
void Spares::forget_lost() {
    for (const ServerId server : outages_.take_lost_spares()) {
        node_of(server).spares.erase(server);
        look_at(server);
    }
}

void Spares::offer(const Job& job, const std::vector<ServerId>& lost) {
    forget_lost();  // spares may have failed together with those servers
    for (const ServerId server : lost) {
        if (const auto spare = nearest(job, server)) {
            node_of(*spare).spares.erase(*spare);
            outages_.keep_as_spare(*spare, false);
            offered_.push_back(*spare);
        }
    }
}

/// The nearest spare for a lost server. In the order of the tree, the nearest spares of a server
/// are next to it.
std::optional<ServerId> Spares::nearest(const Job& job, ServerId lost) {
    const core::Topology& tree = cluster_.topology();
    const std::set<ServerId>& spares = node_of(lost).spares;
    auto after = spares.lower_bound(lost);
    auto before = after;
    while (before != spares.begin() || after != spares.end()) {
        const bool takes_after =
            before == spares.begin() ||
            (after != spares.end() &&
             common_level(tree, lost, *std::prev(before)) < common_level(tree, lost, *after));
        const ServerId next = takes_after ? *after++ : *--before;
        if (!cluster_.would_be_drained(job, next)) {
            return next;
        }
    }
    return std::nullopt;
}

void Spares::keep(ServerId server) {
    Node& node = node_of(server);
    node.empty.erase(server);
    node.spares.insert(server);
    outages_.keep_as_spare(server, true);
}

void Spares::fill_up(Node& node) {
    while (node.spares.size() < kept_ && !node.empty.empty()) {
        keep(*node.empty.rbegin());
    }
}

void Spares::event_handled() {
    for (const ServerId server : std::exchange(offered_, {})) {
        if (is_empty(server)) {
            keep(server);
        }
    }
}

void Spares::settle() {
    forget_lost();
    look_at_changes();
    for (const std::uint32_t node : std::exchange(changed_, {})) {
        fill_up(nodes_[node]);
    }
    changes_.skip();  // these are the server changes that it made itself
    settled_at_ = cluster_.ledger().changes().sequence();
}

/// Unless something has happened since, checks that each spare has no pods on it and is known as a
/// spare, and that no server that is there is empty where there are too few spares.
std::optional<Violation> Spares::find_violation() const {
    if (cluster_.ledger().changes().sequence() != settled_at_) {
        return std::nullopt;
    }
    const core::Topology& tree = cluster_.topology();
    std::vector<std::uint32_t> spares(nodes_.size());
    std::vector<std::uint32_t> empty(nodes_.size());
    for (std::uint32_t index = 0; index < of_server_.size(); ++index) {
        const ServerId server{index};
        const bool spare = nodes_[of_server_[index]].spares.contains(server);
        if (spare != cluster_.is_spare(server) || (spare && !jobs_.is_empty(server))) {
            return Violation{"a spare has no pods on it, and is known as one",
                             tree.path(tree.node_of(server)),
                             spare ? "a spare" : "none",
                             spare ? "none" : "a spare"};
        }
        spares[of_server_[index]] += spare ? 1 : 0;
        empty[of_server_[index]] += is_empty(server) ? 1 : 0;
    }
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
        if (spares[node] > kept_ || (spares[node] < kept_ && empty[node] > 0)) {
            return Violation{"as many spares are kept as there are servers for it",
                             fmt::format("node {} of their level", node),
                             fmt::format("{}, beside {} that are empty", spares[node], empty[node]),
                             fmt::format("{}", kept_)};
        }
    }
    return std::nullopt;
}

}  // namespace berth::sim

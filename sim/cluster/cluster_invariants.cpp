#include "sim/cluster/cluster_invariants.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "core/ledger/ledger_invariants.hpp"

namespace berth::sim {

using core::Amount;
using core::Members;
using core::ServerId;
using core::Violation;

ClusterInvariants::ClusterInvariants(const Cluster& cluster) : cluster_(cluster) {
    const core::Ledger& ledger = cluster.ledger();
    for (std::uint32_t server = 0; server < cluster.topology().server_count(); ++server) {
        std::vector<Amount>& in_use = before_.emplace_back();
        for (std::size_t r = 0; r < ledger.resource_count(); ++r) {
            in_use.push_back(ledger.allocated(cluster.topology().node_of(ServerId{server}), r));
        }
    }
    for (std::uint32_t place = 0; place < cluster.inside().places(); ++place) {
        inside_before_.push_back(cluster.inside().taken(place));
    }
}

/// Checks that what is in use on a server is what was in use before the run and what its pods
/// claim, and that nothing is in use on a server that is down.
std::optional<Violation> ClusterInvariants::find_wrong_amount(std::span<const Held> all) const {
    const core::Ledger& ledger = cluster_.ledger();
    std::vector<std::vector<Amount>> expected = before_;
    for (std::uint32_t server = 0; server < expected.size(); ++server) {
        if (!ledger.is_up(ServerId{server})) {
            expected[server].assign(ledger.resource_count(), 0);
        }
    }
    for (const Held& held : all) {
        std::vector<Amount>& here = expected[held.server.index];
        for (std::size_t r = 0; r < here.size(); ++r) {
            here[r] += held.job->demand[r] * held.members;
        }
        for (const Grant& grant : held.grants) {
            const auto beside = cluster_.inside().beside(grant);
            for (std::size_t r = 0; r < beside.size(); ++r) {
                here[r] += beside[r];
            }
        }
    }
    const core::Topology& tree = cluster_.topology();
    for (std::uint32_t server = 0; server < expected.size(); ++server) {
        const core::NodeId node = tree.node_of(ServerId{server});
        for (std::size_t r = 0; r < ledger.resource_count(); ++r) {
            const Amount found = ledger.allocated(node, r);
            if (found != expected[server][r]) {
                return Violation{
                    "what is in use on a server is what its pods claim, and what was "
                    "in use before the run",
                    fmt::format("{}, {}", tree.path(node), tree.resources().name(r)),
                    fmt::format("{}", found),
                    fmt::format("{}", expected[server][r])};
            }
        }
    }
    return std::nullopt;
}

/// The same for what is inside. Servers that are down are not compared.
std::optional<Violation> ClusterInvariants::find_wrong_inside(std::span<const Held> all) const {
    Inside& inside = cluster_.inside();
    inside.catch_up();
    std::vector<Inside::Taken> expected = inside_before_;
    for (const Held& held : all) {
        for (const Grant& grant : held.grants) {
            for (const std::uint32_t place : inside.places_of(held.server, grant)) {
                inside.put_in(place, grant, expected[place]);
            }
        }
    }
    const core::Topology& tree = cluster_.topology();
    for (std::uint32_t place = 0; place < expected.size(); ++place) {
        const bool is_server = place < tree.server_count();
        const Inside::Taken found = inside.taken(place);
        if (found != expected[place] && (!is_server || cluster_.ledger().is_up(ServerId{place}))) {
            return Violation{
                "what is taken inside a server is what its pods got, and what was "
                "taken before the run",
                is_server ? tree.path(tree.node_of(ServerId{place}))
                          : fmt::format("what servers share, {}", place),
                fmt::format("{}", fmt::join(found, " ")),
                fmt::format("{}", fmt::join(expected[place], " "))};
        }
    }
    return inside.find_violation();
}

/// Checks that a job with a limit may have as many more pods on each server as the limit leaves.
std::optional<Violation> ClusterInvariants::find_wrong_spread(std::span<const Held> all) const {
    std::map<std::pair<std::string, ServerId>, Members> pods;
    for (const Held& held : all) {
        if (held.job->per_server_max > 0) {
            pods[{held.job->application, held.server}] += held.members;
        }
    }
    const core::Topology& tree = cluster_.topology();
    for (const Held& held : all) {
        const core::ServerRule* rule = cluster_.spread_rule(*held.job);
        const Members most = held.job->per_server_max;
        for (std::uint32_t i = 0; rule != nullptr && i < tree.server_count(); ++i) {
            const auto there = pods.find({held.job->application, ServerId{i}});
            const Members count = there == pods.end() ? 0 : there->second;
            const Members found = rule->most(ServerId{i}, most);
            if (found != std::max<Members>(most - count, 0)) {
                return Violation{"an application's pods on a server are counted",
                                 fmt::format("{}, application {}",
                                             tree.path(tree.node_of(ServerId{i})),
                                             held.job->application),
                                 fmt::format("room for {} more", found),
                                 fmt::format("{} more than the {} there", most - count, count)};
            }
        }
    }
    return std::nullopt;
}

std::optional<Violation> ClusterInvariants::find_violation(std::span<const Held> all) const {
    if (auto violation = find_wrong_amount(all)) {
        return violation;
    }
    if (auto violation = core::find_violation(cluster_.ledger())) {
        return violation;
    }
    if (auto violation = find_wrong_inside(all)) {
        return violation;
    }
    return find_wrong_spread(all);
}

}  // namespace berth::sim

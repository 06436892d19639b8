#include "sim/schedulers/profile/recovery.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <ranges>
#include <utility>

#include "core/support/assert.hpp"

namespace berth::sim {

using core::Members;
using core::NodeId;
using core::PlacedNode;

namespace {

/// What members had inside one server. What they had of providers is not kept: each gets what
/// serves it now, since what several servers share may be gone with one of them.
void add_grants(std::vector<Grant>& grants, const Stint& stint) {
    std::ranges::copy_if(stint.grants, std::back_inserter(grants), [](const Grant& grant) {
        return grant.providers == nullptr;
    });
}

}  // namespace

void Recovery::interrupted(JobId id, const Stay& stay, const QueueKey& in_queue) {
    if (!rule_.shrinks) {
        return;
    }
    const core::Topology& tree = actions_.cluster().topology();
    std::map<NodeId, std::pair<Members, std::vector<Grant>>> by_server;
    Interrupted job{id, in_queue, 0, {}};
    for (const Stint& stint : stay.stints) {
        auto& [members, grants] = by_server[tree.node_of(stint.server)];
        members += stint.members;
        job.ran += stint.members;
        add_grants(grants, stint);
    }
    for (auto& [node, here] : by_server) {
        job.left.servers.push_back({node, here.first});
        job.left.grants.push_back(std::move(here.second));
    }
    interrupted_.push_back(std::move(job));
}

std::vector<Recovery::Interrupted> Recovery::take() {
    std::ranges::sort(interrupted_, {}, &Interrupted::in_queue);
    std::vector<Interrupted> go_on;
    for (Interrupted& job : std::exchange(interrupted_, {})) {
        const Job& asks = actions_.job(job.id).job();
        Attempt left;
        for (std::size_t i = 0; i < job.left.servers.size(); ++i) {
            if (may_stay(asks, job.left.servers[i].node)) {
                left.placed += job.left.servers[i].count;
                left.servers.push_back(job.left.servers[i]);
                left.grants.push_back(std::move(job.left.grants[i]));
            }
        }
        if (left.placed > 0 && serves(asks, left)) {
            actions_.hold(job.id, {left.servers, {}, {}, left.grants});
            job.left = std::move(left);
            go_on.push_back(std::move(job));
        }
    }
    return go_on;
}

std::optional<Attempt> Recovery::find(Interrupted&& job, Members admitted) {
    const Job& asks = actions_.job(job.id).job();
    auto all = rule_.replaces && admitted >= job.ran ? with_others(job) : std::nullopt;
    actions_.let_go(job.id);
    Attempt attempt = std::move(all && serves(asks, *all) ? *all : job.left);
    if (attempt.placed < asks.min_available || attempt.placed > admitted ||
        !serves(asks, attempt)) {
        return std::nullopt;
    }
    attempt.found = true;
    attempt.attainable = placer_.attainable(asks, attempt.placed);
    return attempt;
}

/// What is left to it, and places for the members that were lost, as for a group that grows.
std::optional<Attempt> Recovery::with_others(const Interrupted& job) {
    BERTH_ASSERT(job.left.placed < job.ran, "who was interrupted has lost somebody");
    auto after = placer_.find_resized(actions_.job(job.id).job(), job.ran, job.left.servers);
    if (!after) {
        return std::nullopt;
    }
    std::ranges::sort(*after, {}, &PlacedNode::node);
    if (!keeps_hard_constraints(actions_.job(job.id).job(), *after)) {
        return std::nullopt;  // who runs may break them as it grows, but nobody starts so
    }
    Attempt all;
    all.placed = job.ran;
    all.servers = *std::move(after);
    for (const PlacedNode& server : all.servers) {
        const auto had = std::ranges::find(job.left.servers, server.node, &PlacedNode::node);
        const auto number = static_cast<std::size_t>(had - job.left.servers.begin());
        const bool is_new = had == job.left.servers.end();
        all.grants.push_back(is_new ? std::vector<Grant>() : job.left.grants[number]);
    }
    return all;
}

/// Whether all of them get what they ask for. Only providers may have too little now: what servers
/// share may be gone, and who comes first may take them in another way than before.
bool Recovery::serves(const Job& job, const Attempt& attempt) const {
    const Cluster& cluster = actions_.cluster();
    const auto has_places = [&](const PlacedNode& server) {
        return cluster.places(job, cluster.topology().server_of(server.node)) >= server.count;
    };
    return job.query == nullptr ||
           (std::ranges::all_of(attempt.servers, has_places) &&
            cluster.inside().servable(job, attempt.servers) == attempt.placed);
}

bool Recovery::keeps_hard_constraints(const Job& job,
                                      const std::vector<PlacedNode>& servers) const {
    const core::Topology& tree = actions_.cluster().topology();
    if (!job.constraints) {
        return true;
    }
    const core::GroupRequest group{job.size, *job.constraints};
    const core::LogicalTree placement = core::logical_tree(servers, tree);
    const auto is_kept = [&](std::uint32_t level) {
        return !group.constraints.at(core::Level{level}).hard ||
               core::constraint_met(placement, group, core::Level{level}, tree);
    };
    return std::ranges::all_of(std::views::iota(std::uint32_t{0}, group.constraints.level_count()),
                               is_kept);
}

/// Whether its server is there, and not to be drained before the job ends.
bool Recovery::may_stay(const Job& job, NodeId server) const {
    const Cluster& cluster = actions_.cluster();
    const core::ServerId id = cluster.topology().server_of(server);
    return cluster.ledger().is_up(id) && !cluster.would_be_drained(job, id);
}

}  // namespace berth::sim

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

/// Whether members keep what they had inside a server. For providers, each member gets what serves
/// it now, because what several servers share may be gone with one of them.
bool keeps_grants(const Job& job) {
    return job.query == nullptr;
}

/// The servers with more members than before, and how many more.
std::vector<PlacedNode> more_than(const std::vector<PlacedNode>& before,
                                  const std::vector<PlacedNode>& after) {
    std::vector<PlacedNode> more;
    for (const PlacedNode& server : after) {
        const auto had = std::ranges::find(before, server.node, &PlacedNode::node);
        const Members joining = server.count - (had == before.end() ? 0 : had->count);
        if (joining > 0) {
            more.push_back({server.node, joining});
        }
    }
    return more;
}

/// Appends what the members that join get on each server to what the members there already have.
void add_grants(Attempt& all, const Attempt& of) {
    for (std::size_t i = 0; i < of.servers.size(); ++i) {
        const auto here = std::ranges::find(all.servers, of.servers[i].node, &PlacedNode::node);
        std::vector<Grant>& grants =
            all.grants[static_cast<std::size_t>(here - all.servers.begin())];
        std::ranges::copy(of.grants[i], std::back_inserter(grants));
    }
}

}  // namespace

void Recovery::interrupted(JobId id, const Stay& stay) {
    if (!rule_.shrinks) {
        return;
    }
    const core::Topology& tree = actions_.cluster().topology();
    std::map<NodeId, std::pair<Members, std::vector<Grant>>> by_server;
    Interrupted job{id, 0, {}};
    for (const Stint& stint : stay.stints) {
        auto& [members, grants] = by_server[tree.node_of(stint.server)];
        members += stint.members;
        job.ran += stint.members;
        std::ranges::copy(stint.grants, std::back_inserter(grants));
    }
    for (auto& [node, here] : by_server) {
        job.left.servers.push_back({node, here.first});
        job.left.grants.push_back(std::move(here.second));
    }
    interrupted_.push_back(std::move(job));
}

std::vector<Recovery::Interrupted> Recovery::take(
    const std::function<QueueKey(const Interrupted&)>& in_queue) {
    std::ranges::sort(interrupted_, {}, in_queue);
    const core::Topology& tree = actions_.cluster().topology();
    std::vector<Interrupted> go_on;
    for (Interrupted& job : std::exchange(interrupted_, {})) {
        const Job& asks = actions_.job(job.id).job();
        Attempt left;
        std::vector<core::ServerId> lost;
        for (std::size_t i = 0; i < job.left.servers.size(); ++i) {
            if (may_stay(asks, job.left.servers[i].node)) {
                left.placed += job.left.servers[i].count;
                left.servers.push_back(job.left.servers[i]);
                if (keeps_grants(asks)) {
                    left.grants.push_back(std::move(job.left.grants[i]));
                }
            } else {
                lost.push_back(tree.server_of(job.left.servers[i].node));
            }
        }
        if (rule_.spares) {
            actions_.offer_spares(job.id, lost);
        }
        if ((left.placed > 0 || rule_.spares) && serves(asks, left)) {
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

/// What is left of the job's places, and places for the lost members, as for a group that grows.
std::optional<Attempt> Recovery::with_others(const Interrupted& job) {
    BERTH_ASSERT(job.left.placed < job.ran, "who was interrupted has lost somebody");
    const Job& asks = actions_.job(job.id).job();
    auto after = seek_others(job);
    if (!after) {
        return std::nullopt;
    }
    Attempt all;
    all.placed = job.ran;
    all.servers = *std::move(after);
    if (keeps_grants(asks)) {
        Attempt more;
        more.servers = more_than(job.left.servers, all.servers);
        more.grants = actions_.cluster().grants_on(asks, more.servers);
        all.grants.resize(all.servers.size());
        add_grants(all, job.left);
        add_grants(all, more);
    }
    return all;
}

/// The servers of all members of the job. A job of which nothing is left starts as if from the
/// queue.
std::optional<std::vector<PlacedNode>> Recovery::seek_others(const Interrupted& job) {
    const Job& asks = actions_.job(job.id).job();
    if (job.left.placed == 0) {
        Attempt attempt = placer_.find(asks, job.ran);
        return attempt.found && attempt.placed == job.ran ? std::optional(attempt.servers)
                                                          : std::nullopt;
    }
    auto after = placer_.find_resized(asks, job.ran, job.left.servers);
    if (!after) {
        return std::nullopt;
    }
    std::ranges::sort(*after, {}, &PlacedNode::node);
    // A running job may break hard constraints when it grows, but no job may start that way.
    return keeps_hard_constraints(asks, *after) ? after : std::nullopt;
}

/// Whether all members get what they ask for. Only providers may have too little now: what servers
/// share may be gone, and jobs that come first may take it in a different way than before.
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

/// Whether the server is there, and is not to be drained before the job ends.
bool Recovery::may_stay(const Job& job, NodeId server) const {
    const Cluster& cluster = actions_.cluster();
    const core::ServerId id = cluster.topology().server_of(server);
    return cluster.ledger().is_up(id) && !cluster.would_be_drained(job, id);
}

}  // namespace berth::sim

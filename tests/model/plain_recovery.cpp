// What groups do that a failure interrupted: they may continue on the rest of their places.
#include <algorithm>
#include <map>
#include <set>

#include "tests/model/plain_inside.hpp"
#include "tests/model/plain_run.hpp"

namespace berth::tests {

using core::Members;
using core::NodeId;

namespace {

/// Candidates are chosen anew when a group continues; grants within a single server are kept.
bool keeps_grants(const sim::Job& job) {
    return job.query == nullptr;
}

}  // namespace

PlainLeft PlainRun::left_without(std::uint32_t server, std::size_t id) const {
    std::map<NodeId, std::vector<PlainGrant>> by_server;
    PlainLeft left{id, jobs[id].placed, {}};
    for (const PlainStint& stint : jobs[id].stints) {
        if (!stint.finish && stint.server != server) {
            by_server[tree_->node_of(core::ServerId{stint.server})].push_back(stint.grant);
        }
    }
    for (const auto& [node, grants] : by_server) {
        left.places.emplace_back(node, static_cast<Members>(grants.size()));
        left.places.grants.insert(left.places.grants.end(), grants.begin(), grants.end());
    }
    return left;
}

/// Each group has its turn, while the others still hold the rest of their places.
void PlainRun::go_on(std::vector<PlainLeft> interrupted) {
    if (!case_.settings.on_failure.shrinks) {
        return;
    }
    std::vector<PlainLeft> all;
    for (const std::size_t id : queue()) {
        const auto found = std::ranges::find(interrupted, id, &PlainLeft::job);
        if (found == interrupted.end() || found->places.empty()) {
            continue;
        }
        PlainLeft& left = *found;
        if (!serves(jobs[id].job, left.places)) {
            continue;
        }
        if (!keeps_grants(jobs[id].job)) {
            left.places.grants = grants_at(cluster_, jobs[id].job, left.places);
        }
        hold(left, 1);
        all.push_back(left);
    }
    for (const PlainLeft& left : all) {
        (void)go_on(left);
    }
}

bool PlainRun::go_on(const PlainLeft& left) {
    const sim::Job& job = jobs[left.job].job;
    const Members may = is_held_back(job) ? 0 : admitted(job);
    const bool replaces = case_.settings.on_failure.replaces && may >= left.ran;
    std::optional<PlainPlaces> all = replaces ? with_others(left) : std::nullopt;
    hold(left, -1);
    PlainPlaces places = all && serves(job, *all) ? *all : left.places;
    if (!keeps_grants(job)) {
        places.grants.clear();
    }
    if (count_of(places) < job.min_available || count_of(places) > may || !serves(job, places)) {
        return false;
    }
    start(left.job, places);
    return true;
}

/// A running group may break hard constraints when it grows, but no job starts in this way.
bool PlainRun::keeps_hard_constraints(const sim::Job& job, const PlainCounts& counts) const {
    for (std::uint32_t level = 1; level < tree_->level_count(); ++level) {
        const core::LevelConstraint& constraint = job.constraints->at(core::Level{level});
        std::map<NodeId, Members> members;
        std::map<NodeId, std::set<NodeId>> used;
        for (const auto& [server, count] : counts) {
            const NodeId node = tree_->ancestor(server, core::Level{level});
            members[node] += count;
            if (count > 0) {
                used[tree_->parent(node)].insert(node);
            }
        }
        const bool pack = constraint.affinity == core::Affinity::pack;
        const auto together = [](const auto& entry) { return entry.second.size() <= 1; };
        const auto alone = [](const auto& entry) { return entry.second <= 1; };
        if (constraint.hard &&
            !(pack ? std::ranges::all_of(used, together) : std::ranges::all_of(members, alone))) {
            return false;
        }
    }
    return true;
}

/// The places of the group as if it had shrunk to what is left and had grown again.
std::optional<PlainPlaces> PlainRun::with_others(const PlainLeft& left) const {
    const sim::Job& job = jobs[left.job].job;
    const PlainCounts running(left.places.begin(), left.places.end());
    const auto after = find_resized(job, left.ran, running);
    if (!after || !keeps_hard_constraints(job, *after)) {
        return std::nullopt;
    }
    const PlainPlaces more = more_than(running, *after);
    const std::vector<PlainGrant> of_others =
        keeps_grants(job) ? grants_at(cluster_, job, more) : std::vector<PlainGrant>();
    std::map<NodeId, std::vector<PlainGrant>> by_server;
    const auto add = [&](const PlainPlaces& places, const std::vector<PlainGrant>& grants) {
        auto grant = grants.begin();
        for (const auto& [node, count] : places) {
            for (Members i = 0; i < count; ++i) {
                by_server[node].push_back(grant == grants.end() ? PlainGrant() : *grant++);
            }
        }
    };
    add(left.places, left.places.grants);
    add(more, of_others);
    PlainPlaces all;
    for (const auto& [node, grants] : by_server) {
        all.emplace_back(node, static_cast<Members>(grants.size()));
        all.grants.insert(all.grants.end(), grants.begin(), grants.end());
    }
    return all;
}

void PlainRun::hold(const PlainLeft& left, Members sign) {
    const sim::Job& job = jobs[left.job].job;
    auto grant = left.places.grants.begin();
    for (const auto& [node, count] : left.places) {
        const std::uint32_t server = tree_->server_of(node).index;
        for (Members i = 0; i < count; ++i) {
            const PlainGrant had = grant == left.places.grants.end() ? PlainGrant() : *grant++;
            if (sign > 0) {
                cluster_.claim(job, server, 1);
                cluster_.take(server, had);
            } else {
                cluster_.release(job, server, had);
            }
        }
    }
}

/// Whether all members get a candidate.
bool PlainRun::serves(const sim::Job& job, const PlainPlaces& places) const {
    const auto has_room = [&](const auto& place) {
        return cluster_.fit(job, place.first, case_.settings.profile.num_fit) >= place.second;
    };
    return keeps_grants(job) || (std::ranges::all_of(places, has_room) &&
                                 servable(cluster_, job, places) == count_of(places));
}

}  // namespace berth::tests

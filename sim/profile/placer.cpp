#include "sim/profile/placer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/index/lack_counts.hpp"
#include "core/support/assert.hpp"
#include "core/support/text.hpp"

namespace berth::sim {
namespace {

using core::Amount;
using core::LogicalTree;
using core::Members;
using core::PlacedNode;

/// How many shapes are followed at a time, within about a quarter of a GiB; beyond that, the shape
/// that was unused for longest is forgotten.
std::size_t shapes_to_follow(std::uint32_t servers, std::size_t bytes_a_server) {
    constexpr std::size_t bytes_max = std::size_t{1} << 28;
    const std::size_t bytes = servers * bytes_a_server;
    return std::clamp<std::size_t>(bytes_max / std::max<std::size_t>(bytes, 1), 64, 4096);
}

}  // namespace

Placer::Placer(const Profile& profile, const Cluster& cluster, bool attainable)
    : profile_(profile),
      cluster_(cluster),
      attainable_(attainable),
      no_constraints_(cluster.topology().level_count()),
      request_{0, no_constraints_},
      shapes_max_(
          shapes_to_follow(cluster.topology().server_count(), cluster.inside().index_bytes())) {}

Placer::Shape& Placer::shape(const Job& job) {
    const ShapeOf of{job, cluster_.calendar().met(job)};
    const auto found = shapes_.find(of);
    if (found == shapes_.end() && shapes_.size() == shapes_max_) {
        shapes_.erase(std::ranges::min_element(
            shapes_, {}, [](const auto& entry) { return entry.second.last_used; }));
    }
    Shape& shape = found != shapes_.end() ? found->second : shapes_[PodShape(job, of.drains)];
    shape.last_used = ++uses_;
    return shape;
}

core::FitIndex& Placer::fits(const Job& job) {
    Shape& entry = shape(job);
    if (!entry.fits) {
        entry.fits = std::make_unique<core::FitIndex>(
            cluster_.ledger(), job.demand.in_a_vector(), profile_.num_fit, cluster_.rule(job));
    }
    entry.fits->catch_up();
    return *entry.fits;
}

core::PodIndex& Placer::scores(const Job& job) {
    Shape& entry = shape(job);
    if (!entry.scores) {
        entry.scores = cluster_.inside().index(job, cluster_.rule_outside(job));
    }
    if (!entry.scores) {
        entry.scores = std::make_unique<core::ScoreIndex>(
            cluster_.ledger(), job.demand.in_a_vector(), profile_.score, cluster_.rule(job));
    }
    entry.scores->catch_up();
    return *entry.scores;
}

/// Describes the group for the solver. Valid until the next call.
const core::GroupRequest& Placer::request(const Job& job, Members size) {
    request_.size = size;
    request_.constraints = job.constraints ? *job.constraints : no_constraints_;
    return request_;
}

Attempt Placer::find(const Job& job, Members members) {
    BERTH_ASSERT(members >= job.min_available && members <= job.size,
                 "as many members are tried as may start, and are enough to start");
    ++decisions_;
    cluster_.inside().catch_up();
    return job.group ? find_group(job, members) : find_pod(job);
}

Attempt Placer::look(const Job& job, Members members) {
    cluster_.inside().catch_up();
    if (job.group) {
        return find_group(job, members);
    }
    Attempt attempt;
    attempt.found = feasible_servers(job) > 0;
    attempt.placed = attempt.found ? 1 : 0;
    return attempt;
}

std::optional<LogicalTree> Placer::attainable(const Job& job, Members members) {
    if (!attainable_ || !job.group) {
        return std::nullopt;
    }
    return core::place_exact(request(job, members), fits(job));
}

/// The first server with the highest score among those on which the pod fits, or the server that
/// the ServerSelector chooses, if there is one.
std::optional<core::ServerId> Placer::best_server(const Job& job) {
    core::PodIndex& index = scores(job);
    if (selector_ == nullptr || index.feasible_count() == 0) {
        return index.best();
    }
    const std::optional<core::ServerId> chosen = selector_->select(job, index);
    BERTH_ASSERT(!chosen || index.fits(*chosen), "one of the servers on which it fits is chosen");
    return chosen;
}

Attempt Placer::find_pod(const Job& job) {
    Attempt attempt;
    if (const auto server = best_server(job)) {
        attempt.found = true;
        attempt.placed = 1;
        attempt.servers.push_back({cluster_.topology().node_of(*server), 1});
    }
    return attempt;
}

/// What servers share may be too little for all members for which the single servers have room.
/// Then fewer members are placed.
Attempt Placer::find_group(const Job& job, Members members) {
    Attempt attempt = place_group(job, members);
    while (attempt.found) {
        const Members servable = cluster_.inside().servable(job, attempt.servers);
        if (servable == attempt.placed) {
            break;
        }
        if (servable < job.min_available) {
            attempt.found = false;
            attempt.placed = servable;
            break;
        }
        std::optional<LogicalTree> attainable = std::move(attempt.attainable);
        attempt = place_group(job, servable);
        attempt.attainable = std::move(attainable);
    }
    return attempt;
}

Attempt Placer::place_group(const Job& job, Members members) {
    Attempt attempt;
    const core::FitIndex& index = fits(job);
    const core::GroupRequest& group = request(job, members);
    attempt.placement = profile_.solver == Solver::exact ? core::place_exact(group, index)
                                                         : placer_.place(group, index);
    attempt.placed = attempt.placement.placed();
    if (attainable_) {
        attempt.attainable =
            profile_.solver == Solver::exact ? attempt.placement : core::place_exact(group, index);
    }
    if (attempt.placed >= job.min_available) {
        attempt.found = true;
        attempt.servers = core::servers_of(attempt.placement, cluster_.topology());
    }
    BERTH_ASSERT(attempt.placed <= members, "no more members are placed than may start");
    return attempt;
}

std::optional<std::vector<PlacedNode>> Placer::find_resized(
    const Job& job, Members size, const std::vector<PlacedNode>& servers) {
    ++decisions_;
    cluster_.inside().catch_up();
    const core::Topology& tree = cluster_.topology();
    const core::FitIndex& index = fits(job);
    const Members now = core::logical_tree(servers, tree).placed();
    const bool greedy = profile_.solver == Solver::greedy && size > now;
    const LogicalTree placement = greedy ? placer_.place_rest(request(job, size), index, servers)
                                         : core::resize_group(request(job, size), index, servers);
    if (placement.placed() != size) {
        return std::nullopt;
    }
    std::vector<PlacedNode> after = core::servers_of(placement, tree);
    std::map<core::NodeId, Members> more;
    for (const PlacedNode& server : after) {
        more[server.node] += server.count;
    }
    for (const PlacedNode& server : servers) {
        more[server.node] -= server.count;
    }
    // The published greedy solver may drop members that run; here, a running member is never moved.
    std::vector<PlacedNode> joining;
    for (const auto& [node, count] : more) {
        if (count < 0 && size > now) {
            return std::nullopt;
        }
        if (count > 0) {
            joining.push_back({node, count});
        }
    }
    if (cluster_.inside().servable(job, joining) != std::max(size - now, Members{0})) {
        return std::nullopt;  // what servers share is too little
    }
    return after;
}

Placer::Drained Placer::drained_servers(const Job& job) {
    Drained out;
    const DrainCalendar& calendar = cluster_.calendar();
    for (std::uint32_t i = 0; calendar.met(job) > 0 && i < cluster_.topology().server_count();
         ++i) {
        if (cluster_.ledger().is_up(core::ServerId{i}) &&
            cluster_.lack(job, core::ServerId{i}) == Lack::drain) {
            ++(calendar.is_open(core::ServerId{i}) ? out.now : out.before_its_end);
        }
    }
    return out;
}

const Placer::Refusing& Placer::refusing_servers(const Job& job) {
    const core::PodIndex& index = scores(job);
    const std::uint64_t now = cluster_.ledger().changes().sequence();
    Shape& of = shape(job);
    if (of.refusing_at != now) {
        of.refusing = job.nodes == nullptr && job.per_server_max == 0 ? by_index(job, index)
                                                                      : server_by_server(job);
        of.refusing_at = now;
    }
    return of.refusing;
}

Placer::Refusing Placer::by_index(const Job& job, const core::PodIndex& index) {
    Refusing out;
    for (std::size_t resource = 0; resource < job.demand.size(); ++resource) {
        out.insufficient.push_back(index.insufficient_count(resource));
    }
    const Drained drained = drained_servers(job);
    out.inside = index.refused_count() - drained.now - drained.before_its_end;
    if (out.inside > 0) {
        out.words[cluster_.inside().refusal()] = out.inside;
    }
    return out;
}

Placer::Refusing Placer::server_by_server(const Job& job) const {
    Refusing out;
    out.insufficient.resize(job.demand.size());
    for (std::uint32_t i = 0; i < cluster_.topology().server_count(); ++i) {
        const core::ServerId server{i};
        if (const std::string_view words = cluster_.refusal(job, server); !words.empty()) {
            ++out.words[words];
            ++(words == cluster_.inside().refusal() ? out.inside : out.beside);
            continue;
        }
        core::Lacks lacks = core::lacking_amounts(cluster_.ledger(), server, job.demand);
        for (lacks &= ~core::lacks_rule; lacks != 0; lacks &= lacks - 1) {
            ++out.insufficient[static_cast<std::size_t>(std::countr_zero(lacks))];
        }
    }
    return out;
}

Refusal Placer::explain(const Job& job, Members placed) {
    const core::PodIndex& index = scores(job);
    const core::Topology& tree = cluster_.topology();
    const Drained drained = drained_servers(job);
    const Refusing& refusing = refusing_servers(job);
    std::vector<std::string> reasons;
    for (std::size_t resource = 0; resource < job.demand.size(); ++resource) {
        if (const std::uint32_t count = refusing.insufficient[resource]; count > 0) {
            reasons.push_back(
                fmt::format("{} Insufficient {}", count, tree.resources().name(resource)));
        }
    }
    for (const auto& [words, count] : refusing.words) {
        reasons.push_back(fmt::format("{} node(s) {}", count, words));
    }
    if (cluster_.spare_count() > 0) {
        reasons.push_back(fmt::format("{} node(s) were kept as spares", cluster_.spare_count()));
    }
    if (drained.now > 0) {
        reasons.push_back(fmt::format("{} node(s) were being drained", drained.now));
    }
    if (drained.before_its_end > 0) {
        reasons.push_back(
            fmt::format("{} node(s) would be drained before it ends", drained.before_its_end));
    }
    std::ranges::sort(reasons);  // in the order in which kube-scheduler prints them
    std::string out =
        fmt::format("{}/{} nodes are available", index.feasible_count(), tree.server_count());
    if (job.group) {
        out += fmt::format(" for a member, {} of {} members can be placed", placed, job.size);
    }
    if (!reasons.empty()) {
        out += fmt::format(": {}", core::join(reasons, ", "));
    }
    return {out + ".", index.refused_count() - drained.now - drained.before_its_end};
}

}  // namespace berth::sim

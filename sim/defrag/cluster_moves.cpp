#include "sim/defrag/cluster_moves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/support/text.hpp"
#include "core/tree/gpu_resource.hpp"
#include "sim/cluster/inside/gpus/requested_gpus.hpp"
#include "sim/cluster/service_resource.hpp"

namespace berth::sim {
namespace {

using core::Amount;
using core::Level;
using core::RoomGoal;
using core::ServerId;

/// The servers where pods may run, once for all pods that ask the same.
class AllowedServers {
public:
    AllowedServers(const Actions& actions, const Settings& settings)
        : cluster_(actions.cluster()), settings_(settings) {}

    /// `at`: where the pod is now, for a group that stays below a node; nothing: a pod that waits.
    [[nodiscard]] std::uint32_t index_of(const Job& job, std::optional<ServerId> at) {
        std::vector<core::NodeId> below;
        std::string key(job.selector());
        if (shares()) {
            key += '\n' + core::join(request_of(job).models, ",");
        }
        for (std::uint32_t i = 0; at && job.constraints && i < job.constraints->level_count();
             ++i) {
            if (job.constraints->stated(Level{i})) {
                below.push_back(topology().ancestor(topology().node_of(*at), Level{i}));
                key += fmt::format("\n{}", below.back().index);
            }
        }
        const auto [found, fresh] =
            indexes_.try_emplace(std::move(key), static_cast<std::uint32_t>(masks.size()));
        if (fresh) {
            masks.push_back(mask_of(job, below));
        }
        return found->second;
    }

    [[nodiscard]] bool shares() const { return settings_.profile.inside.gpus.has_value(); }
    [[nodiscard]] core::GpuRequest request_of(const Job& job) const {
        return requested_gpus(job, gpu_);
    }

    std::vector<std::vector<bool>> masks;

private:
    [[nodiscard]] const core::Topology& topology() const { return cluster_.topology(); }

    [[nodiscard]] std::vector<bool> mask_of(const Job& job,
                                            const std::vector<core::NodeId>& below) const {
        const core::ServerRule* rule = cluster_.rule_outside(job);
        std::vector<bool> mask(topology().server_count());
        for (std::uint32_t i = 0; i < mask.size(); ++i) {
            const ServerId server{i};
            const bool near = std::ranges::all_of(below, [&](core::NodeId node) {
                return topology().ancestor(topology().node_of(server), topology().level_of(node)) ==
                       node;
            });
            mask[i] = near && cluster_.ledger().is_up(server) && !cluster_.is_spare(server) &&
                      (rule == nullptr || rule->most(server, 1) > 0) && accepts(job, server);
        }
        return mask;
    }

    [[nodiscard]] bool accepts(const Job& job, ServerId server) const {
        if (!shares()) {
            return true;
        }
        const core::GpuShares& gpus = cluster_.ledger().gpus();
        return gpus.models().accepted(request_of(job))[gpus.model(server)] != 0;
    }

    const Cluster& cluster_;
    const Settings& settings_;
    std::size_t gpu_ =
        core::gpu_resource(cluster_.topology()).value_or(cluster_.topology().resources().size());
    std::map<std::string, std::uint32_t> indexes_;
};

core::PodShape shape_of(const Job& job, const AllowedServers& servers) {
    core::PodShape shape{job.demand.in_a_vector(), 0, 0};
    if (servers.shares()) {
        const core::GpuRequest request = servers.request_of(job);
        shape.gpu_milli = static_cast<core::GpuMilli>(request.milli);
        shape.gpu_count = request.count;
    }
    return shape;
}

/// Whether some constraint of a group spreads its members.
bool is_spread(const Job& job) {
    for (std::uint32_t i = 0; job.constraints && i < job.constraints->level_count(); ++i) {
        if (job.constraints->stated(Level{i}) &&
            job.constraints->at(Level{i}).affinity == core::Affinity::spread) {
            return true;
        }
    }
    return false;
}

/// Whether pods of a job may move. `shares`: what is inside servers is the shares of their GPUs.
bool may_move(const JobState& state, const Cluster& cluster, bool shares) {
    const Job& job = state.job();
    return job.preemptible && (shares || !cluster.asks_inside(job)) && job.per_server_max == 0 &&
           !is_spread(job) && !state.is_on_its_way_out() && !state.hung_since;
}

/// Milliseconds of a job's GPUs, rounded up.
std::int64_t gpu_time(SimTime time, Amount amount, Amount per_unit) {
    const auto milliseconds = (time.count() + 999'999) / 1'000'000;
    return milliseconds * amount / per_unit;
}

core::JobOfPods price_of(const JobState& state, SimTime lost, std::size_t resource, Amount unit) {
    const Amount amount = state.job().demand[resource] * state.record.placed;
    const SimTime restart = state.job().checkpoint ? state.job().checkpoint->restart : SimTime(0);
    core::JobOfPods job{gpu_time(lost, amount, unit), 0, state.record.placed};
    (job.pods == 1 ? job.restarts : job.loses) += gpu_time(restart, amount, unit);
    return job;
}

void read_free(const Cluster& cluster, bool shares, core::MoveProblem& problem) {
    const core::Topology& tree = cluster.topology();
    problem.resources = tree.resources().size();
    for (std::uint32_t i = 0; i < tree.server_count(); ++i) {
        const auto free = cluster.ledger().available(tree.node_of(ServerId{i}));
        problem.free.insert(problem.free.end(), free.begin(), free.end());
        if (shares) {
            const auto gpus = cluster.ledger().gpus().free(ServerId{i});
            problem.gpus.emplace_back(gpus.begin(), gpus.end());
        }
    }
}

RoomGoal empty_goal(const core::Topology& tree) {
    RoomGoal goal;
    goal.resource = service_resource(tree);
    goal.shape.demand.assign(tree.resources().size(), 0);
    goal.servers.assign(tree.server_count(), true);
    goal.domain.assign(tree.server_count(), 0);
    goal.whole_amount.assign(tree.server_count(), 0);
    return goal;
}

/// Numbers the nodes of a level, leaving out servers for which `counts` is false.
void set_domains(RoomGoal& goal,
                 Level level,
                 const core::Topology& tree,
                 const std::vector<bool>& counts) {
    std::map<std::uint32_t, std::uint32_t> numbers;
    for (std::uint32_t i = 0; i < tree.server_count(); ++i) {
        const core::NodeId node = tree.ancestor(tree.node_of(ServerId{i}), level);
        goal.domain[i] =
            !counts[i] ? RoomGoal::no_domain
                       : numbers.try_emplace(node.index, static_cast<std::uint32_t>(numbers.size()))
                             .first->second;
    }
    goal.domains = static_cast<std::uint32_t>(numbers.size());
}

}  // namespace

ClusterMoves cluster_moves(const Actions& actions, const Settings& settings) {
    ClusterMoves moves;
    core::MoveProblem& problem = moves.problem;
    AllowedServers allowed(actions, settings);
    const core::Topology& tree = actions.cluster().topology();
    const std::size_t resource = service_resource(tree);
    read_free(actions.cluster(), allowed.shares(), problem);
    actions.each_job([&](JobId id) {
        const JobState& state = actions.job(id);
        if (!state.runs()) {
            return;
        }
        const auto number = static_cast<std::uint32_t>(problem.jobs.size());
        problem.jobs.push_back(
            price_of(state, actions.would_lose(id), resource, tree.resources().per_unit(resource)));
        for (const Stint& stint : state.record.stints) {
            for (core::Members i = 0; !stint.finish && i < stint.members; ++i) {
                core::MovablePod pod;
                pod.shape = shape_of(state.job(), allowed);
                pod.server = stint.server.index;
                pod.job = number;
                pod.movable = may_move(state, actions.cluster(), allowed.shares());
                pod.allowed = allowed.index_of(state.job(), stint.server);
                if (!stint.grants.empty()) {
                    pod.gpus = stint.grants[static_cast<std::size_t>(i)].gpus;
                }
                problem.pods.push_back(std::move(pod));
                moves.members.push_back({id, stint.first + i});
            }
        }
    });
    problem.allowed = std::move(allowed.masks);
    return moves;
}

RoomGoal room_for(const Job& job, const Actions& actions, const Settings& settings) {
    const core::Topology& tree = actions.cluster().topology();
    AllowedServers allowed(actions, settings);
    RoomGoal goal = empty_goal(tree);
    goal.kind = RoomGoal::Kind::copies;
    goal.shape = shape_of(job, allowed);
    goal.count = job.min_available;
    goal.servers = allowed.masks[allowed.index_of(job, std::nullopt)];
    for (std::uint32_t i = 0; job.constraints && i < job.constraints->level_count(); ++i) {
        const core::LevelConstraint& one = job.constraints->at(Level{i});
        if (job.constraints->stated(Level{i}) && one.hard && one.affinity == core::Affinity::pack) {
            set_domains(goal, Level{i}, tree, std::vector<bool>(tree.server_count(), true));
        }
    }
    return goal;
}

RoomGoal whole_domains(Level level, std::int64_t count, const core::Ledger& ledger) {
    const core::Topology& tree = ledger.topology();
    RoomGoal goal = empty_goal(tree);
    goal.kind = RoomGoal::Kind::whole;
    goal.count = count;
    std::vector<bool> counts(tree.server_count());
    for (std::uint32_t i = 0; i < tree.server_count(); ++i) {
        goal.whole_amount[i] = ledger.capacity(tree.node_of(ServerId{i}))[goal.resource];
        counts[i] = goal.whole_amount[i] > 0;
    }
    set_domains(goal, level, tree, counts);
    return goal;
}

RoomGoal pods_of_gpus(std::int64_t gpus, const core::Ledger& ledger, bool shared) {
    const core::Topology& tree = ledger.topology();
    RoomGoal goal = empty_goal(tree);
    goal.kind = RoomGoal::Kind::most;
    goal.shape.demand[goal.resource] = gpus * tree.resources().per_unit(goal.resource);
    if (shared) {
        goal.shape.gpu_milli = core::gpu_whole_milli;
        goal.shape.gpu_count = gpus;
    }
    return goal;
}

}  // namespace berth::sim

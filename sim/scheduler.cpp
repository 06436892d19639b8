#include "sim/scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/support/assert.hpp"

namespace berth::sim {
namespace {

using core::Amount;
using core::LogicalTree;
using core::Members;
using core::PlacedNode;

/// More shapes than this are not followed at a time; the one unused for longest is forgotten.
constexpr std::size_t shapes_max = 64;

}  // namespace

Scheduler::Scheduler(const Profile& profile, core::Ledger& ledger, bool attainable)
    : profile_(profile), ledger_(ledger), attainable_(attainable) {
    if (profile.devices) {
        devices_ = std::make_unique<ServerDevices>(ledger, *profile.devices);
    }
}

const core::ServerRule* Scheduler::rule(const Job& job) {
    return devices_ != nullptr && job.devices != nullptr ? &devices_->rule(*job.devices) : nullptr;
}

Scheduler::Shape& Scheduler::shape(const Job& job) {
    std::pair key(job.demand, job.devices != nullptr ? job.devices->text : "");
    const auto found = shapes_.find(key);
    if (found == shapes_.end() && shapes_.size() == shapes_max) {
        shapes_.erase(std::ranges::min_element(
            shapes_, {}, [](const auto& entry) { return entry.second.last_used; }));
    }
    Shape& shape = found != shapes_.end() ? found->second : shapes_[std::move(key)];
    shape.last_used = ++uses_;
    return shape;
}

core::FitIndex& Scheduler::fits(const Job& job) {
    Shape& entry = shape(job);
    if (!entry.fits) {
        entry.fits =
            std::make_unique<core::FitIndex>(ledger_, job.demand, profile_.num_fit, rule(job));
    }
    entry.fits->catch_up();
    return *entry.fits;
}

core::ScoreIndex& Scheduler::scores(const Job& job) {
    Shape& entry = shape(job);
    if (!entry.scores) {
        entry.scores =
            std::make_unique<core::ScoreIndex>(ledger_, job.demand, profile_.score, rule(job));
    }
    entry.scores->catch_up();
    return *entry.scores;
}

core::GroupRequest Scheduler::request(const Job& job, Members size) const {
    return {size,
            job.constraints.value_or(core::LevelConstraints(ledger_.topology().level_count()))};
}

Attempt Scheduler::schedule(const Job& job, Members members) {
    ++decisions_;
    Attempt attempt = job.group ? schedule_group(job, members) : schedule_pod(job);
    if (!attempt.started) {
        return attempt;
    }
    if (job.group) {
        ledger_.claim(attempt.placement, job.demand);
    } else {
        const PlacedNode& server = attempt.servers.front();
        ledger_.claim(ledger_.topology().server_of(server.node), job.demand, server.count);
    }
    take_devices(job, attempt);
    return attempt;
}

void Scheduler::take_devices(const Job& job, Attempt& attempt) {
    for (const PlacedNode& server : attempt.servers) {
        attempt.devices.push_back(
            take_devices(job, ledger_.topology().server_of(server.node), server.count));
    }
}

std::vector<DeviceGrant> Scheduler::take_devices(const Job& job,
                                                 core::ServerId server,
                                                 Members members) {
    std::vector<DeviceGrant> grants;
    for (Members member = 0; rule(job) != nullptr && member < members; ++member) {
        grants.push_back(devices_->take(*job.devices, server));
    }
    return grants;
}

void Scheduler::give_back_devices(core::ServerId server, std::span<const DeviceGrant> devices) {
    for (const DeviceGrant grant : devices) {
        devices_->give_back(server, grant);
    }
}

bool Scheduler::devices_serve(const Job& job,
                              core::ServerId server,
                              std::span<const DeviceGrant> devices) {
    return rule(job) == nullptr || devices_->serves_without(*job.devices, server, devices);
}

Attempt Scheduler::start_on(const Job& job, core::ServerId server) {
    ledger_.claim(server, job.demand, 1);
    Attempt attempt;
    attempt.started = true;
    attempt.placed = 1;
    attempt.servers = {{ledger_.topology().node_of(server), 1}};
    take_devices(job, attempt);
    return attempt;
}

Attempt Scheduler::schedule_pod(const Job& job) {
    Attempt attempt;
    if (const auto server = scores(job).best()) {
        attempt.started = true;
        attempt.placed = 1;
        attempt.servers = {{ledger_.topology().node_of(*server), 1}};
    }
    return attempt;
}

Attempt Scheduler::schedule_group(const Job& job, Members members) {
    Attempt attempt;
    const core::FitIndex& index = fits(job);
    const core::GroupRequest group = request(job, members);
    attempt.placement = profile_.solver == Solver::exact ? core::place_exact(group, index)
                                                         : placer_.place(group, index);
    attempt.placed = attempt.placement.placed();
    if (attainable_) {
        attempt.attainable =
            profile_.solver == Solver::exact ? attempt.placement : core::place_exact(group, index);
    }
    if (attempt.placed >= job.min_available) {
        attempt.started = true;
        attempt.servers = core::servers_of(attempt.placement, ledger_.topology());
    }
    return attempt;
}

std::optional<std::vector<PlacedNode>> Scheduler::resize(const Job& job,
                                                         Members size,
                                                         const std::vector<PlacedNode>& servers) {
    ++decisions_;
    const core::Topology& tree = ledger_.topology();
    const core::FitIndex& index = fits(job);
    const Members now = core::logical_tree(servers, tree).placed();
    const bool greedy = profile_.solver == Solver::greedy && size > now;
    const LogicalTree placement = greedy ? placer_.place_rest(request(job, size), index, servers)
                                         : core::resize_group(request(job, size), index, servers);
    if (placement.placed() != size) {
        return std::nullopt;
    }
    const std::vector<PlacedNode> after = core::servers_of(placement, tree);
    // The published greedy may drop members that run; a running member is never moved here.
    const auto by_node = [](const std::vector<PlacedNode>& list) {
        std::map<core::NodeId, Members> counts;
        for (const PlacedNode& server : list) {
            counts[server.node] = server.count;
        }
        return counts;
    };
    const auto counts_before = by_node(servers);
    const auto counts_after = by_node(after);
    const auto count_at = [](const std::map<core::NodeId, Members>& counts, core::NodeId node) {
        const auto found = counts.find(node);
        return found == counts.end() ? Members{0} : found->second;
    };
    const auto loses = [&](const PlacedNode& server) {
        return count_at(counts_after, server.node) < server.count;
    };
    if (size > now && std::ranges::any_of(servers, loses)) {
        return std::nullopt;
    }
    for (const PlacedNode& server : servers) {
        if (const Members gone = server.count - count_at(counts_after, server.node); gone > 0) {
            ledger_.release(tree.server_of(server.node), job.demand, gone);
        }
    }
    for (const PlacedNode& server : after) {
        if (const Members fresh = server.count - count_at(counts_before, server.node); fresh > 0) {
            ledger_.claim(tree.server_of(server.node), job.demand, fresh);
        }
    }
    return after;
}

void Scheduler::release(const Job& job,
                        core::ServerId server,
                        Members members,
                        std::span<const DeviceGrant> devices) {
    give_back_devices(server, devices);
    ledger_.release(server, job.demand, members);
}

std::string Scheduler::explain(const Job& job, Members placed) {
    const core::ScoreIndex& index = scores(job);
    const core::Topology& tree = ledger_.topology();
    std::vector<std::string> reasons;
    for (std::size_t resource = 0; resource < job.demand.size(); ++resource) {
        if (const std::uint32_t count = index.insufficient_count(resource); count > 0) {
            reasons.push_back(
                fmt::format("{} Insufficient {}", count, tree.resources().name(resource)));
        }
    }
    if (const std::uint32_t count = index.refused_count(); count > 0) {
        reasons.push_back(fmt::format("{} node(s) didn't have the devices free together", count));
    }
    std::ranges::sort(reasons);  // as kube-scheduler prints them
    std::string out =
        fmt::format("{}/{} nodes are available", index.feasible_count(), tree.server_count());
    if (job.group) {
        out += fmt::format(" for a member, {} of {} members can be placed", placed, job.size);
    }
    if (!reasons.empty()) {
        out += fmt::format(": {}", fmt::join(reasons, ", "));
    }
    return out + ".";
}

}  // namespace berth::sim

#include "sim/scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/support/assert.hpp"
#include "core/support/text.hpp"
#include "sim/server_devices.hpp"
#include "sim/server_gpus.hpp"
#include "sim/server_providers.hpp"

namespace berth::sim {
namespace {

using core::Amount;
using core::LogicalTree;
using core::Members;
using core::PlacedNode;

/// How many shapes are followed at a time, within a quarter of a GiB or so; of more, the one unused
/// for longest is forgotten.
std::size_t shapes_to_follow(std::uint32_t servers, bool byte_a_server) {
    constexpr std::size_t bytes_max = std::size_t{1} << 28;
    const std::size_t bytes = std::size_t{servers} * (byte_a_server ? 1 : 48);
    return std::clamp<std::size_t>(bytes_max / std::max<std::size_t>(bytes, 1), 64, 4096);
}

}  // namespace

Scheduler::Scheduler(const Profile& profile, core::Ledger& ledger, bool attainable)
    : profile_(profile), ledger_(ledger), attainable_(attainable) {
    if (profile.devices) {
        devices_ = std::make_unique<ServerDevices>(ledger, *profile.devices);
    } else if (profile.candidates) {
        providers_ = std::make_unique<ServerProviders>(ledger, *profile.candidates);
    } else if (profile.gpus) {
        gpus_ = std::make_unique<ServerGpus>(ledger, *profile.gpus);
    }
    shapes_max_ = shapes_to_follow(ledger.topology().server_count(),
                                   gpus_ != nullptr && gpus_->has_byte_index());
}

Scheduler::~Scheduler() = default;

Scheduler::Scheduler(const Scheduler& other, core::Ledger& copy)
    : profile_(other.profile_),
      ledger_(copy),
      attainable_(false),
      spread_(other.spread_),
      shapes_max_(other.shapes_max_) {
    if (other.devices_ != nullptr) {
        devices_ = std::make_unique<ServerDevices>(*other.devices_);
    } else if (other.gpus_ != nullptr) {
        gpus_ = std::make_unique<ServerGpus>(*profile_.gpus, copy);
    }
}

std::unique_ptr<Scheduler> Scheduler::copy_over(core::Ledger& copy) const {
    return providers_ != nullptr ? nullptr : std::unique_ptr<Scheduler>(new Scheduler(*this, copy));
}

const core::ServerRule* Scheduler::rule(const Job& job) {
    const core::ServerRule* inside = inside_rule(job);
    const core::ServerRule* spread = spread_.rule(job);
    if (inside == nullptr || spread == nullptr) {
        return inside != nullptr ? inside : spread;
    }
    return &both_rules_.try_emplace({inside, spread}, *inside, *spread).first->second;
}

/// What the pod's devices or providers allow.
const core::ServerRule* Scheduler::inside_rule(const Job& job) {
    if (devices_ != nullptr && job.devices != nullptr) {
        return &devices_->rule(*job.devices);
    }
    if (gpus_ != nullptr) {
        return gpus_->rule(job);
    }
    return providers_ != nullptr && job.query != nullptr ? &providers_->rule(*job.query) : nullptr;
}

Scheduler::Shape& Scheduler::shape(const Job& job) {
    const auto found = shapes_.find(job);
    if (found == shapes_.end() && shapes_.size() == shapes_max_) {
        shapes_.erase(std::ranges::min_element(
            shapes_, {}, [](const auto& entry) { return entry.second.last_used; }));
    }
    Shape& shape = found != shapes_.end() ? found->second : shapes_[PodShape(job)];
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

core::PodIndex& Scheduler::scores(const Job& job) {
    Shape& entry = shape(job);
    if (!entry.scores && gpus_ != nullptr && gpus_->has_policy()) {
        entry.scores = gpus_->index(job, spread_.rule(job));
    } else if (!entry.scores) {
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
    BERTH_ASSERT(members >= job.min_available && members <= job.size,
                 "as many members are tried as may start, and are enough to start");
    Attempt attempt = find(job, members);
    if (attempt.started) {
        claim(job, attempt);
    }
    return attempt;
}

Attempt Scheduler::find(const Job& job, Members members) {
    ++decisions_;
    catch_up();
    return job.group ? schedule_group(job, members) : schedule_pod(job);
}

Attempt Scheduler::look(const Job& job, Members members) {
    catch_up();
    if (job.group) {
        return schedule_group(job, members);
    }
    Attempt attempt;
    attempt.started = feasible_servers(job) > 0;
    attempt.placed = attempt.started ? 1 : 0;
    return attempt;
}

void Scheduler::claim(const Job& job, Attempt& attempt) {
    BERTH_ASSERT(attempt.started && !attempt.servers.empty(), "a place that was found is claimed");
    BERTH_ASSERT(attempt.grants.empty(), "an attempt is claimed once");
    take_grants(job, attempt);
    if (job.group) {
        ledger_.claim(attempt.placement, job.demand);
    } else {
        const PlacedNode& server = attempt.servers.front();
        ledger_.claim(ledger_.topology().server_of(server.node), job.demand, server.count);
    }
    for (const PlacedNode& server : attempt.servers) {
        spread_.add(job, ledger_.topology().server_of(server.node), server.count);
    }
}

std::optional<LogicalTree> Scheduler::attainable(const Job& job, Members members) {
    if (!attainable_ || !job.group) {
        return std::nullopt;
    }
    return core::place_exact(request(job, members), fits(job));
}

/// What the ledger has in use goes to providers before anybody takes of them.
void Scheduler::catch_up() {
    if (providers_ != nullptr) {
        providers_->catch_up();
    }
}

void Scheduler::take_grants(const Job& job, Attempt& attempt) {
    for (const PlacedNode& server : attempt.servers) {
        attempt.grants.push_back(
            take_grants(job, ledger_.topology().server_of(server.node), server.count));
    }
}

std::vector<Grant> Scheduler::take_grants(const Job& job, core::ServerId server, Members members) {
    std::vector<Grant> grants;
    for (Members member = 0; inside_rule(job) != nullptr && member < members; ++member) {
        grants.push_back(take_grant(job, server, member));
    }
    return grants;
}

Grant Scheduler::take_grant(const Job& job, core::ServerId server, Members before) {
    if (devices_ != nullptr) {
        return {devices_->take(*job.devices, server), nullptr, {}};
    }
    if (gpus_ != nullptr) {
        return {nullptr, nullptr, gpus_->take(job, server, before)};
    }
    ProviderGrant grant = providers_->take(*job.query, server);
    if (!grant->beside.empty()) {
        ledger_.claim(server, grant->beside, 1);
    }
    return {nullptr, std::move(grant), {}};
}

void Scheduler::give_back_grants(core::ServerId server, std::span<const Grant> grants) {
    for (const Grant& grant : grants) {
        if (grant.devices != nullptr) {
            devices_->give_back(server, grant.devices);
            continue;
        }
        if (gpus_ != nullptr) {
            gpus_->give_back(server, grant.gpus);
            continue;
        }
        BERTH_ASSERT(grant.providers != nullptr, "a grant is of devices, of GPUs or of providers");
        providers_->give_back(server, *grant.providers);
        if (!grant.providers->beside.empty()) {
            ledger_.release(server, grant.providers->beside, 1);
        }
    }
}

bool Scheduler::serves_without(const Job& job,
                               core::ServerId server,
                               std::span<const Grant> grants) {
    catch_up();
    if (inside_rule(job) == nullptr) {
        return true;
    }
    if (devices_ != nullptr) {
        std::vector<DeviceGrant> devices;
        std::ranges::transform(grants, std::back_inserter(devices), &Grant::devices);
        return devices_->serves_without(*job.devices, server, devices);
    }
    if (gpus_ != nullptr) {
        std::vector<core::GpuGrant> gpus;
        std::ranges::transform(grants, std::back_inserter(gpus), &Grant::gpus);
        return gpus_->serves_without(job, server, gpus);
    }
    std::vector<const ProviderUse*> uses;
    std::ranges::transform(
        grants, std::back_inserter(uses), [](const Grant& grant) { return grant.providers.get(); });
    return providers_->serves_without(*job.query, server, uses);
}

bool Scheduler::has_room(const Job& job, core::ServerId server) {
    const auto available = ledger_.available(ledger_.topology().node_of(server));
    return ledger_.is_up(server) && core::fit_of(available, job.demand) > 0 &&
           serves_without(job, server, {});
}

Attempt Scheduler::start_on(const Job& job, core::ServerId server) {
    BERTH_ASSERT(!job.group && ledger_.is_up(server),
                 "a single pod starts on a server that is there");
    catch_up();
    Attempt attempt;
    attempt.started = true;
    attempt.placed = 1;
    attempt.servers = {{ledger_.topology().node_of(server), 1}};
    take_grants(job, attempt);
    ledger_.claim(server, job.demand, 1);
    spread_.add(job, server, 1);
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

/// What servers share may be too little for all that each of them has room for: then fewer are
/// placed.
Attempt Scheduler::schedule_group(const Job& job, Members members) {
    Attempt attempt = place_group(job, members);
    while (attempt.started && inside_rule(job) != nullptr && providers_ != nullptr) {
        const Members servable = providers_->servable(*job.query, attempt.servers);
        if (servable == attempt.placed) {
            break;
        }
        if (servable < job.min_available) {
            attempt.started = false;
            attempt.placed = servable;
            break;
        }
        std::optional<LogicalTree> attainable = std::move(attempt.attainable);
        attempt = place_group(job, servable);
        attempt.attainable = std::move(attainable);
    }
    return attempt;
}

Attempt Scheduler::place_group(const Job& job, Members members) {
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
    BERTH_ASSERT(attempt.placed <= members, "no more members are placed than may start");
    return attempt;
}

std::optional<std::vector<PlacedNode>> Scheduler::resize(const Job& job,
                                                         Members size,
                                                         const std::vector<PlacedNode>& servers) {
    ++decisions_;
    catch_up();
    const core::Topology& tree = ledger_.topology();
    const core::FitIndex& index = fits(job);
    const Members now = core::logical_tree(servers, tree).placed();
    const bool greedy = profile_.solver == Solver::greedy && size > now;
    const LogicalTree placement = greedy ? placer_.place_rest(request(job, size), index, servers)
                                         : core::resize_group(request(job, size), index, servers);
    if (placement.placed() != size) {
        return std::nullopt;
    }
    std::vector<PlacedNode> after = core::servers_of(placement, tree);
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
    std::vector<PlacedNode> more;
    for (const PlacedNode& server : after) {
        if (const Members fresh = server.count - count_at(counts_before, server.node); fresh > 0) {
            more.push_back({server.node, fresh});
        }
    }
    if (providers_ != nullptr && inside_rule(job) != nullptr &&
        providers_->servable(*job.query, more) != std::max(size - now, Members{0})) {
        return std::nullopt;  // what servers share is too little
    }
    for (const PlacedNode& server : servers) {
        if (const Members gone = server.count - count_at(counts_after, server.node); gone > 0) {
            ledger_.release(tree.server_of(server.node), job.demand, gone);
            spread_.add(job, tree.server_of(server.node), -gone);
        }
    }
    for (const PlacedNode& server : more) {
        ledger_.claim(tree.server_of(server.node), job.demand, server.count);
        spread_.add(job, tree.server_of(server.node), server.count);
    }
    return after;
}

void Scheduler::release(const Job& job,
                        core::ServerId server,
                        Members members,
                        std::span<const Grant> grants) {
    BERTH_ASSERT(members > 0, "somebody leaves the server");
    give_back_grants(server, grants);
    ledger_.release(server, job.demand, members);
    spread_.add(job, server, -members);
}

std::string Scheduler::explain(const Job& job, Members placed) {
    const core::PodIndex& index = scores(job);
    const core::Topology& tree = ledger_.topology();
    std::vector<std::string> reasons;
    for (std::size_t resource = 0; resource < job.demand.size(); ++resource) {
        if (const std::uint32_t count = index.insufficient_count(resource); count > 0) {
            reasons.push_back(
                fmt::format("{} Insufficient {}", count, tree.resources().name(resource)));
        }
    }
    if (const std::uint32_t count = index.refused_count(); count > 0) {
        reasons.push_back(fmt::format("{} node(s) {}",
                                      count,
                                      providers_ != nullptr ? "had no allocation candidate"
                                      : gpus_ != nullptr
                                          ? "didn't have the GPUs, or not of the model"
                                          : "didn't have the devices free together"));
    }
    std::ranges::sort(reasons);  // as kube-scheduler prints them
    std::string out =
        fmt::format("{}/{} nodes are available", index.feasible_count(), tree.server_count());
    if (job.group) {
        out += fmt::format(" for a member, {} of {} members can be placed", placed, job.size);
    }
    if (!reasons.empty()) {
        out += fmt::format(": {}", core::join(reasons, ", "));
    }
    return out + ".";
}

}  // namespace berth::sim

/// Why a waiting job gets no place on one server.

#include <fmt/format.h>

#include <algorithm>

#include "core/index/fit_index.hpp"
#include "core/index/lack_counts.hpp"
#include "core/support/assert.hpp"
#include "core/tree/device_names.hpp"
#include "core/tree/gpu_resource.hpp"
#include "sim/cluster/cluster.hpp"

namespace berth::sim {
namespace {

bool accepts_model(const Job& job, const core::MachineType& type) {
    if (job.gpus == nullptr || job.gpus->models.empty()) {
        return true;
    }
    return std::ranges::any_of(type.devices, [&](const core::DeviceGroup& group) {
        return (group.kind == "gpu" || core::find_gpu_resource(group.kind) != nullptr) &&
               std::ranges::find(job.gpus->models, group.model) != job.gpus->models.end();
    });
}

/// The kind of lack, if a server has too little of `resource`.
Lack lack_of(std::string_view resource) {
    if (core::find_gpu_resource(resource) != nullptr) {
        return Lack::gpu;
    }
    const bool nic = resource == "rdma" || resource == core::device_resource::rdma;
    return nic ? Lack::nic : Lack::cpu_or_memory;
}

}  // namespace

Lack Cluster::lack(const Job& job, core::ServerId server, std::uint32_t met) const {
    const core::Topology& tree = ledger_.topology();
    const bool is_selected = job.nodes == nullptr || job.nodes->selects(server);
    if (!is_selected || !accepts_model(job, tree.machine_type(server))) {
        return Lack::model;
    }
    const auto available = ledger_.available(tree.node_of(server));
    Lack first = Lack::nothing;
    for (std::size_t resource = 0; resource < job.demand.size(); ++resource) {
        if (job.demand[resource] > 0 && available[resource] < job.demand[resource]) {
            const Lack lacking = lack_of(tree.resources().name(resource));
            first = first == Lack::nothing ? lacking : std::min(first, lacking);
        }
    }
    const core::ServerRule* server_rule = rule(job, met);
    if (first != Lack::nothing || server_rule == nullptr || server_rule->score(server)) {
        return first;
    }
    const core::ServerRule* without_drains = rule(job, 0);
    const bool for_drains_alone = without_drains == nullptr || without_drains->score(server);
    return for_drains_alone ? Lack::drain : inside_->lack(job);
}

std::string_view Cluster::refusal(const Job& job, core::ServerId server) const {
    if (job.nodes != nullptr && !job.nodes->selects(server)) {
        return job.nodes->refusal(server);
    }
    const core::ServerRule* without_drains = rule(job, 0);
    if (core::lacking_amounts(ledger_, server, job.demand) != 0 || without_drains == nullptr ||
        without_drains->score(server)) {
        return "";
    }
    const core::ServerRule* asked = inside_->rule(job);
    return asked == nullptr || asked->score(server)
               ? "had as many pods of its application as it may have"
               : inside_->refusal();
}

std::string Cluster::why_not(const Job& job, core::ServerId server) const {
    const core::ServerRule* without_drains = rule(job, 0);
    if (would_be_drained(job, server) &&
        (without_drains == nullptr || without_drains->score(server))) {
        return calendar_.is_open(server) ? "it is being drained"
                                         : "it is drained before the job would end";
    }
    if (job.nodes != nullptr && !job.nodes->selects(server)) {
        return job.nodes->why_not(server);
    }
    const core::ServerRule* asked = inside_->rule(job);
    if (asked == nullptr || asked->score(server)) {
        return fmt::format("{} pods of {} are there already", job.per_server_max, job.application);
    }
    if (!accepts_model(job, ledger_.topology().machine_type(server))) {
        return "its GPUs are of another model";
    }
    return inside_->why_not(job, server);
}

core::Members Cluster::places(const Job& job, core::ServerId server, std::uint32_t met) const {
    const core::NodeId node = ledger_.topology().node_of(server);
    const core::Members fit = core::fit_of(ledger_.available(node), job.demand);
    const core::ServerRule* server_rule = rule(job, met);
    if (fit <= 0 || server_rule == nullptr) {
        return std::max<core::Members>(fit, 0);
    }
    return server_rule->most(server, fit);
}

}  // namespace berth::sim

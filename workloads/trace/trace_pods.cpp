#include "workloads/trace/trace_pods.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/tree/device_names.hpp"
#include "core/tree/gpu_resource.hpp"
#include "workloads/trace/trace_scan.hpp"

namespace berth::workloads {
namespace {

namespace names = core::device_resource;

core::PodDevices inside_of(const TraceJob& from) {
    constexpr core::Amount milli_a_percent = 10;
    core::PodDevices devices;
    const auto ask = [&](std::string_view name, core::Amount amount) {
        if (amount > 0) {
            devices.text += fmt::format("{}={}\n", name, amount);
            devices.pod.requests[std::string(name)] = amount;
        }
    };
    if (from.gpus.milli == core::gpu_whole_milli) {
        ask(names::nvidia_gpu, from.gpus.count);
    } else {
        ask(names::gpu, (from.gpus.total_milli() + milli_a_percent - 1) / milli_a_percent);
    }
    ask(names::rdma, from.rdma_percent);
    return devices;
}

}  // namespace

TracePods::TracePods(const core::ResourceSchema& resources, TraceQuota quota, TraceLevels levels)
    : size_(resources.size()),
      cpu_(resources.find("cpu")),
      memory_(resources.find("memory")),
      gpu_(core::gpu_resource(resources)),
      rdma_(resources.find(names::rdma)),
      pods_(resources.find("pods")),
      quota_(quota),
      levels_(std::move(levels)) {}

sim::Job TracePods::job_of(const TraceJob& from) {
    sim::Job job;
    job.name = from.name;
    job.user = from.user;
    job.quota = quota_of(from, quota_);
    job.name_space = from.name_space.value_or("");
    job.priority = from.priority;
    job.application = from.application;
    job.per_server_max = from.per_server_max;
    job.estimate = from.time_limit;
    job.group = from.members > 1;
    job.size = from.members;
    job.min_available = from.members_min > 0 ? from.members_min : from.members;
    job.constraints = constraints_of(from.topology);
    if (from.conditions) {
        const auto at = levels_.selectors.find(from.conditions->nodes);
        job.nodes = at != levels_.selectors.end() ? at->second : nullptr;
    }
    job.demand.resize(size_);
    const auto ask = [&](const std::optional<std::size_t>& resource, core::Amount amount) {
        if (resource) {
            job.demand[*resource] = amount;
        }
    };
    ask(cpu_, from.cpu_milli);
    ask(memory_, from.memory_bytes);
    ask(gpu_, from.gpus.total_milli());
    ask(rdma_, from.rdma_percent);
    ask(pods_, 1);
    ask_for_devices(from, job);
    return job;
}

std::optional<core::LevelConstraints> TracePods::constraints_of(
    const TraceTopology& topology) const {
    if (topology.asks == TraceTopology::Asks::nothing || levels_.count == 0) {
        return std::nullopt;
    }
    core::LevelConstraints constraints(levels_.count);
    core::LevelConstraint pack;
    if (topology.asks == TraceTopology::Asks::anywhere) {
        constraints.set(core::Level{0}, pack);
        return constraints;
    }
    pack.hard = topology.asks == TraceTopology::Asks::required;
    pack.scope = core::Scope::group;
    constraints.set(levels_.of_label.at(topology.label.value()), pack);
    return constraints;
}

void TracePods::ask_for_devices(const TraceJob& from, sim::Job& job) {
    if (from.gpus.count == 0 && from.rdma_percent == 0) {
        return;
    }
    const auto [known, fresh] = devices_.try_emplace({from.gpus, from.rdma_percent});
    Devices& devices = known->second;
    if (fresh && from.gpus.count > 0) {
        devices.gpus = std::make_shared<const core::GpuRequest>(from.gpus);
    }
    if (fresh) {
        devices.inside = std::make_shared<const core::PodDevices>(inside_of(from));
    }
    job.gpus = devices.gpus;
    job.devices = devices.inside;
}

}  // namespace berth::workloads

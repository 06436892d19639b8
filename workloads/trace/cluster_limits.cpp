#include "workloads/trace/cluster_limits.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <limits>

namespace berth::workloads {
namespace {

using core::Amount;
using core::Members;

constexpr Amount unlimited = std::numeric_limits<Amount>::max();
/// More members than this are none that a cluster holds, and their products have room.
constexpr Members members_max = Members{1} << 30;

std::vector<std::pair<std::string, std::int64_t>> gpus_of(const core::MachineType& type,
                                                          std::optional<std::size_t> resource) {
    std::vector<std::pair<std::string, std::int64_t>> gpus;
    for (const core::DeviceGroup& group : type.devices) {
        if (group.kind == "gpu") {
            gpus.emplace_back(group.model, group.count);
        }
    }
    const Amount counted = resource ? type.capacity(static_cast<Eigen::Index>(*resource)) : 0;
    if (gpus.empty() && counted > 0) {
        gpus.emplace_back("", counted / core::gpu_whole_milli);
    }
    return gpus;
}

}  // namespace

ClusterLimits::ClusterLimits(const core::Topology& tree) {
    const core::ResourceSchema& schema = tree.resources();
    const auto cpu = schema.find("cpu");
    const auto memory = schema.find("memory");
    const auto gpu = schema.find("nvidia.com/gpu");
    const auto amount = [](const core::MachineType& type, std::optional<std::size_t> resource) {
        return resource ? type.capacity(static_cast<Eigen::Index>(*resource)) : unlimited;
    };
    for (const core::MachineType& type : tree.machine_types()) {
        kinds_.push_back({amount(type, cpu), amount(type, memory), gpus_of(type, gpu), 0});
    }
    for (std::uint32_t server = 0; server < tree.server_count(); ++server) {
        Kind& kind = kinds_[tree.machine_type_index(core::ServerId{server})];
        ++kind.servers;
        if (cpu) {
            cpu_ = cpu_.value_or(0) + static_cast<double>(kind.cpu_milli);
        }
        if (memory) {
            memory_ = memory_.value_or(0) + static_cast<double>(kind.memory_bytes);
        }
    }
    std::erase_if(kinds_, [](const Kind& kind) { return kind.servers == 0; });
}

std::int64_t ClusterLimits::accepted_gpus(const Kind& kind,
                                          const std::vector<std::string>& models) {
    std::int64_t count = 0;
    for (const auto& [model, of_model] : kind.gpus) {
        if (models.empty() || std::ranges::find(models, model) != models.end()) {
            count += of_model;
        }
    }
    return count;
}

/// Members that one idle server holds.
Members ClusterLimits::room_on(const Kind& kind, const TraceJob& job) {
    Members room = std::min(job.members, members_max);
    if (job.cpu_milli > 0) {
        room = std::min(room, kind.cpu_milli / job.cpu_milli);
    }
    if (job.memory_bytes > 0) {
        room = std::min(room, kind.memory_bytes / job.memory_bytes);
    }
    if (job.gpus.count > 0) {
        const std::int64_t gpus = accepted_gpus(kind, job.gpus.models);
        const Amount share = std::clamp<Amount>(job.gpus.milli, 1, core::gpu_whole_milli);
        room = std::min(
            room,
            job.gpus.count == 1 ? gpus * (core::gpu_whole_milli / share) : gpus / job.gpus.count);
    }
    return room;
}

std::optional<TraceFault> ClusterLimits::obstacle(const TraceJob& job) const {
    Members room = 0;
    for (const Kind& kind : kinds_) {
        room += kind.servers * room_on(kind, job);
        if (room >= job.members) {
            return std::nullopt;
        }
    }
    if (room > 0) {
        return TraceFault::group_too_large;
    }
    std::int64_t gpus_max = 0;
    Amount cpu_max = 0;
    Amount memory_max = 0;
    for (const Kind& kind : kinds_) {
        const std::int64_t gpus = accepted_gpus(kind, job.gpus.models);
        if (job.gpus.count > 0 && gpus == 0) {
            continue;
        }
        gpus_max = std::max(gpus_max, gpus);
        cpu_max = std::max(cpu_max, kind.cpu_milli);
        memory_max = std::max(memory_max, kind.memory_bytes);
    }
    return job.gpus.count > 0 && gpus_max == 0 && !job.gpus.models.empty()
               ? TraceFault::unknown_gpu_model
           : job.gpus.count > gpus_max     ? TraceFault::too_many_gpus
           : job.cpu_milli > cpu_max       ? TraceFault::too_much_cpu
           : job.memory_bytes > memory_max ? TraceFault::too_much_memory
                                           : TraceFault::never_together;
}

double ClusterLimits::gpus(const std::vector<std::string>& models) const {
    double milli = 0;
    for (const Kind& kind : kinds_) {
        milli += static_cast<double>(kind.servers) *
                 static_cast<double>(accepted_gpus(kind, models)) *
                 static_cast<double>(core::gpu_whole_milli);
    }
    return milli;
}

}  // namespace berth::workloads

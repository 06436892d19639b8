#include "tests/model/plain_gpus.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace berth::tests {

using core::Amount;
using core::Members;

core::GpuRequest gpus_asked(const sim::Job& job) {
    if (job.gpus != nullptr) {
        return *job.gpus;
    }
    const Amount milli = job.demand.size() > gpu_resource ? job.demand[gpu_resource] : 0;
    return milli < whole_gpu ? core::GpuRequest{milli, milli > 0 ? 1 : 0, {}}
                             : core::GpuRequest{whole_gpu, milli / whole_gpu, {}};
}

std::vector<std::vector<std::size_t>> islands_of(const core::MachineType& type) {
    std::vector<std::vector<std::size_t>> islands;
    for (const core::DeviceGroup& gpus : type.devices) {
        for (const std::vector<std::int64_t>& island : gpus.nvlink) {
            islands.emplace_back(island.begin(), island.end());
        }
        std::map<std::int64_t, std::vector<std::size_t>> by_numa;
        for (std::size_t device = 0; device < static_cast<std::size_t>(gpus.count); ++device) {
            by_numa[gpus.numa.empty() ? 0 : gpus.numa[device]].push_back(device);
        }
        for (const auto& [numa, devices] : by_numa) {
            if (gpus.nvlink.empty()) {
                islands.push_back(devices);
            }
        }
    }
    return islands;
}

std::string model_of(const core::MachineType& type) {
    return type.devices.empty() ? "" : type.devices.front().model;
}

PlainGpus::PlainGpus(const core::Topology& tree, const std::vector<Amount>& outside) {
    for (std::uint32_t server = 0; server < tree.server_count(); ++server) {
        std::vector<Amount>& free = free_.emplace_back();
        for (const core::DeviceGroup& gpus : tree.machine_type(core::ServerId{server}).devices) {
            free.assign(static_cast<std::size_t>(gpus.count), whole_gpu);
        }
        Amount left = outside[server];
        for (Amount& device : free) {
            const Amount taken = std::min(left, device);
            device -= taken;
            left -= taken;
        }
    }
}

Amount PlainGpus::all_free(std::uint32_t server) const {
    return std::accumulate(free_[server].begin(), free_[server].end(), Amount{0});
}

std::int64_t PlainGpus::whole(std::uint32_t server) const {
    return std::ranges::count(free_[server], whole_gpu);
}

std::set<std::int64_t> PlainGpus::kinds(std::uint32_t server) const {
    std::set<std::int64_t> kinds;
    for (const auto& [where, pods] : pods_) {
        if (where.first == server && pods > 0) {
            kinds.insert(where.second);
        }
    }
    return kinds;
}

Members PlainGpus::fit(const core::Topology& tree,
                       const sim::Job& job,
                       std::uint32_t server) const {
    const core::GpuRequest asked = gpus_asked(job);
    if (asked.count == 0) {
        return std::numeric_limits<Members>::max();
    }
    const std::string model = model_of(tree.machine_type(core::ServerId{server}));
    if (!asked.models.empty() && std::ranges::count(asked.models, model) == 0) {
        return 0;
    }
    Members places = 0;
    for (const Amount device : free_[server]) {
        places += device / asked.milli;
    }
    return places / asked.count;
}

bool PlainGpus::is_free(std::uint32_t server, const PlainGrant& grant) const {
    return std::ranges::all_of(grant, [&](const PlainShare& share) {
        return free_[server][share.device] >= share.amount;
    });
}

void PlainGpus::add(std::uint32_t server, const PlainGrant& grant, Members pods) {
    for (const PlainShare& share : grant) {
        free_[server][share.device] -= pods * share.amount;
    }
    if (!grant.empty()) {
        const core::GpuRequest had{grant.front().amount, std::ssize(grant), {}};
        pods_[{server, kind_of(had)}] += pods;
    }
}

void PlainGpus::take_what_is_left(std::uint32_t server, const PlainGrant& grant) {
    take(server, grant);
    for (Amount& device : free_[server]) {
        device = std::max<Amount>(device, 0);
    }
}

void PlainGpus::join(const PlainGpus& other) {
    for (std::size_t server = 0; server < free_.size(); ++server) {
        for (std::size_t device = 0; device < free_[server].size(); ++device) {
            free_[server][device] = std::min(free_[server][device], other.free_[server][device]);
        }
    }
    for (const auto& [where, pods] : other.pods_) {
        pods_[where] = std::max(pods_[where], pods);
    }
}

}  // namespace berth::tests

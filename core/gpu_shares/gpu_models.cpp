#include "core/gpu_shares/gpu_models.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include "core/support/assert.hpp"

namespace berth::core {

std::vector<DeviceMask> gpu_islands(const MachineType& type) {
    std::vector<DeviceMask> islands;
    std::size_t first = 0;  // the number of the group's first device among all GPUs
    for (const DeviceGroup& group : type.devices) {
        if (group.kind != "gpu") {
            continue;
        }
        BERTH_ASSERT(group.numa.empty() || std::ssize(group.numa) == group.count,
                     "all devices of a group say their NUMA node, or none does");
        const auto device = [&](std::int64_t in_group) {
            BERTH_ASSERT(in_group >= 0 && in_group < group.count, "an island is of one group");
            const std::size_t number = first + static_cast<std::size_t>(in_group);
            return number < devices_of_type_max ? bit(number) : 0;
        };
        std::map<std::int64_t, DeviceMask> by_numa;
        for (std::int64_t i = 0; i < group.count; ++i) {
            by_numa[group.numa.empty() ? 0 : group.numa[static_cast<std::size_t>(i)]] |= device(i);
        }
        for (const std::vector<std::int64_t>& island : group.nvlink) {
            DeviceMask mask = 0;
            for (const std::int64_t member : island) {
                mask |= device(member);
            }
            islands.push_back(mask);
        }
        for (const auto& [numa, mask] : by_numa) {
            if (group.nvlink.empty()) {
                islands.push_back(mask);
            }
        }
        first += static_cast<std::size_t>(group.count);
    }
    return islands;
}

DeviceMask choose_by_island(std::span<const GpuMilli> free,
                            std::span<const DeviceMask> islands,
                            std::size_t count) {
    DeviceMask whole = 0;
    for (std::size_t device = 0; device < free.size(); ++device) {
        whole |= free[device] == static_cast<GpuMilli>(gpu_whole_milli) ? bit(device) : 0;
    }
    BERTH_ASSERT(static_cast<std::size_t>(std::popcount(whole)) >= count,
                 "as many devices are free as are asked for");
    DeviceMask chosen = 0;
    while (count > 0) {
        // The smallest island with enough free devices; if there is none, the one with the most.
        DeviceMask best = 0;
        for (const DeviceMask island : islands) {
            const DeviceMask here = island & whole;
            const auto size = static_cast<std::size_t>(std::popcount(here));
            const auto best_size = static_cast<std::size_t>(std::popcount(best));
            const bool better =
                best_size >= count ? size >= count && size < best_size : size > best_size;
            best = better ? here : best;
        }
        best = best == 0 ? whole : best;  // the devices that are on no island
        BERTH_ASSERT(best != 0, "while a device is asked for, one is free");
        for (; best != 0 && count > 0; best &= best - 1, --count) {
            chosen |= best & ~(best - 1);
        }
        whole &= ~chosen;
    }
    return chosen;
}

GpuModels::GpuModels(const Topology& topology) {
    for (const MachineType& type : topology.machine_types()) {
        std::string model;
        std::uint32_t count = 0;
        for (const DeviceGroup& group : type.devices) {
            if (group.kind == "gpu") {
                model = count == 0 ? group.model : model;
                count += static_cast<std::uint32_t>(group.count);
            }
        }
        const auto known = std::ranges::find(names_, model);
        of_type_.push_back(static_cast<std::uint32_t>(known - names_.begin()));
        devices_.push_back(count);
        islands_.push_back(gpu_islands(type));
        if (known == names_.end()) {
            names_.push_back(std::move(model));
        }
    }
}

std::vector<char> GpuModels::accepted(const GpuRequest& request) const {
    std::vector<char> out;
    for (const std::string& name : names_) {
        out.push_back(request.models.empty() ||
                              std::ranges::find(request.models, name) != request.models.end()
                          ? 1
                          : 0);
    }
    return out;
}

}  // namespace berth::core

#include "core/machine_views/group_key_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/machine_views/device_places.hpp"
#include "core/support/text.hpp"

namespace berth::core {
namespace {

constexpr std::string_view gpu_kind = "gpu";

/// The `gpugrp1` of each NUMA node. NUMA nodes that an NVLink island joins have one in common.
class NumaGroups {
public:
    NumaGroups(const std::vector<DeviceGroup>& groups,
               const std::vector<std::vector<DevicePlace>>& places) {
        for (std::size_t g = 0; g < groups.size(); ++g) {
            std::map<std::size_t, std::int64_t> of_island;
            for (const DevicePlace& place : places[g]) {
                if (!place.numa) {
                    continue;
                }
                members_.try_emplace(*place.numa, std::set{*place.numa});
                if (place.island && groups[g].kind == gpu_kind) {
                    join(of_island.try_emplace(*place.island, *place.numa).first->second,
                         *place.numa);
                }
            }
        }
    }
    [[nodiscard]] std::string name(std::int64_t numa) const {
        return fmt::format("numa{}", fmt::join(members_.at(numa), "-"));
    }

private:
    void join(std::int64_t a, std::int64_t b) {
        std::set<std::int64_t> both = members_.at(a);
        both.insert(members_.at(b).begin(), members_.at(b).end());
        for (const std::int64_t numa : both) {
            members_[numa] = both;
        }
    }

    /// For each NUMA node, all that are joined with it.
    std::map<std::int64_t, std::set<std::int64_t>> members_;
};

/// The groups that a GPU is in, or "".
std::string groups_of_gpu(const DevicePlace& place, std::size_t gpu, const NumaGroups& numa) {
    const std::string inner = place.island ? fmt::format("nvlink{}", *place.island)
                              : place.pcie ? fmt::format("pcie{}", *place.pcie)
                              : place.numa ? fmt::format("numa{}", *place.numa)
                                           : fmt::format("single{}", gpu);
    return fmt::format("/gpugrp1/{}/gpugrp0/{}",
                       place.numa ? numa.name(*place.numa) : std::string("machine"),
                       inner);
}

}  // namespace

GroupAmounts group_key_view(const MachineType& type) {
    const auto places = device_places(type.devices);
    const NumaGroups numa(type.devices, places);
    GroupAmounts out;
    for (std::size_t g = 0; g < type.devices.size(); ++g) {
        const DeviceGroup& group = type.devices[g];
        const bool flat = group.numa.empty() && group.pcie.empty() && group.nvlink.empty();
        std::string kind = group.kind;
        std::ranges::replace(kind, '/', '.');
        for (std::size_t i = 0; i < places[g].size(); ++i) {
            const DevicePlace& place = places[g][i];
            std::string base(group_prefix);
            if (group.kind == gpu_kind && !flat) {
                base += groups_of_gpu(place, i, numa);
            } else if (place.numa) {
                base += fmt::format("/gpugrp1/{}", numa.name(*place.numa));
            }
            base += fmt::format("/{}/{}/", kind, i);
            out[base + "cards"] = 1;
            if (group.memory_bytes > 0) {
                out[base + "memory"] = group.memory_bytes;
            }
            if (group.virtual_functions > 0) {
                out[base + "vfs"] = group.virtual_functions;
            }
        }
    }
    return out;
}

}  // namespace berth::core

#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/device_allocator/device_request.hpp"
#include "core/machine_allocators/machine_allocator.hpp"
#include "tests/support/random_cluster.hpp"

namespace berth::tests {

/// One way to choose devices.
struct DeviceWay {
    std::string allocator;
    core::MachineRules rules;

    [[nodiscard]] std::string text() const {
        return fmt::format("{} {} {}",
                           allocator,
                           rules.published ? "published" : "document",
                           rules.exact ? "exact" : "greedy");
    }
    [[nodiscard]] std::unique_ptr<core::MachineAllocator> make(
        const core::MachineType& type) const {
        return std::ranges::find(
                   core::machine_allocators(), allocator, &core::MachineAllocatorEntry::name)
            ->make(type, rules);
    }
};

/// All registered allocators, each with all of its rules and solvers.
inline std::vector<DeviceWay> device_ways() {
    std::vector<DeviceWay> ways;
    for (const core::MachineAllocatorEntry& entry : core::machine_allocators()) {
        for (const bool published : {false, true}) {
            for (const bool exact : {false, true}) {
                if (entry.name != "first-fit" || (!published && !exact)) {
                    ways.push_back({std::string(entry.name), {published, exact}});
                }
            }
        }
    }
    return ways;
}

/// `count` numbers, in blocks of `block`, sometimes scattered instead.
inline std::vector<std::int64_t> random_numbers(Dice& dice,
                                                std::int64_t count,
                                                std::int64_t block) {
    const std::int64_t wrap = dice.roll(1, 4);
    const bool scattered = dice.chance(15);
    std::vector<std::int64_t> numbers;
    for (std::int64_t i = 0; i < count; ++i) {
        numbers.push_back(scattered ? dice.roll(0, 2) : i / block % wrap);
    }
    return numbers;
}

/// Disjoint islands, within NUMA nodes or across them, which may leave GPUs out.
inline std::vector<std::vector<std::int64_t>> random_islands(Dice& dice, std::int64_t count) {
    std::vector<std::vector<std::int64_t>> islands(static_cast<std::size_t>(dice.roll(1, 3)));
    const bool scattered = dice.chance(25);
    const std::int64_t block = dice.roll(1, 4);
    for (std::int64_t gpu = 0; gpu < count; ++gpu) {
        const std::int64_t island = scattered ? dice.roll(0, 3) : gpu / block;
        if (island < std::ssize(islands)) {
            islands[static_cast<std::size_t>(island)].push_back(gpu);
        }
    }
    std::erase_if(islands, [](const auto& island) { return island.empty(); });
    return islands;
}

/// Up to eight GPUs and four NICs, whose places are known in part or in full. `capacity` follows
/// device_schema().
inline core::MachineType random_machine(Dice& dice, const std::string& name) {
    core::MachineType type{name, core::Amounts(2), {}};
    const std::int64_t gpus =
        std::vector{0, 1, 2, 3, 4, 4, 6, 8, 8, 8}[static_cast<std::size_t>(dice.roll(0, 9))];
    type.capacity << 1000 * dice.roll(4, 40), 1000 * gpus;
    for (const auto& [kind, count] : {std::pair("rdma", dice.roll(0, 4)), {"gpu", gpus}}) {
        if (count == 0) {
            continue;
        }
        core::DeviceGroup& group = type.devices.emplace_back();
        group.kind = kind;
        group.count = count;
        const std::int64_t block = dice.roll(1, 4);
        if (dice.chance(70)) {
            group.numa = random_numbers(dice, count, block);
        }
        if (dice.chance(60)) {
            group.pcie = random_numbers(dice, count, std::max<std::int64_t>(1, block / 2));
        }
        if (group.kind == "gpu" && dice.chance(50)) {
            group.nvlink = random_islands(dice, count);
        }
        group.virtual_functions = group.kind == "rdma" && dice.chance(30) ? 2 : 0;
    }
    if (dice.chance(50)) {
        std::ranges::reverse(type.devices);
    }
    return type;
}

inline core::ResourceSchema device_schema() {
    core::ResourceSchema schema;
    schema.add("cpu");
    schema.add(core::device_resource::nvidia_gpu);
    return schema;
}

/// A pod, and what must hold for the devices that it gets.
struct DeviceAsk {
    core::PodDevices devices;
    core::Amount gpus = 0;       ///< Number of GPUs that the pod gets.
    core::Amount of_each = 100;  ///< Hundredths of each GPU.
    core::Amount nics = 0;       ///< Least number of NICs that the pod gets.
    core::Amount of_nic = 0;     ///< Hundredths of each NIC.
    bool more_nics = false;      ///< The pod may get one NIC for each switch.

    [[nodiscard]] core::Amount milli_gpus() const { return gpus * of_each * 10; }
};

inline DeviceAsk ask_for(core::Amount gpus, core::Amount rdma) {
    DeviceAsk ask;
    ask.gpus = gpus;
    ask.nics = rdma > 100 ? rdma / 100 : rdma > 0 ? 1 : 0;
    ask.of_nic = std::min<core::Amount>(rdma, 100);
    if (gpus > 0) {
        ask.devices.pod.requests.emplace(core::device_resource::nvidia_gpu, gpus);
    }
    if (rdma > 0) {
        ask.devices.pod.requests.emplace(core::device_resource::rdma, rdma);
    }
    ask.devices.text = fmt::format("{} GPUs, {} rdma", gpus, rdma);
    return ask;
}

/// A request for shares of one GPU or of several.
inline DeviceAsk random_share(Dice& dice) {
    DeviceAsk ask;
    ask.of_each = 20 * dice.roll(1, 5);
    if (dice.chance(50)) {
        ask.gpus = 1;
        ask.devices.pod.requests.emplace(core::device_resource::gpu, ask.of_each);
    } else {
        ask.gpus = dice.roll(1, 2);
        ask.devices.pod.requests.emplace(core::device_resource::gpu_shared, ask.gpus);
        ask.devices.pod.requests.emplace(core::device_resource::gpu_core, ask.milli_gpus() / 10);
        ask.devices.pod.requests.emplace(core::device_resource::gpu_memory_ratio,
                                         ask.milli_gpus() / 10);
    }
    ask.devices.text =
        fmt::format("{} shares of {}, {}", ask.gpus, ask.of_each, ask.devices.pod.requests.size());
    return ask;
}

/// A request for GPUs and NICs near each other, as device-allocator words it.
inline DeviceAsk random_joint(Dice& dice) {
    DeviceAsk ask = ask_for(dice.roll(1, 4), 100 * dice.roll(1, 2));
    core::DeviceJoint joint{{core::DeviceType::gpu, core::DeviceType::rdma}, dice.chance(50)};
    ask.devices.text += joint.same_pcie ? ", same PCIe" : ", joint";
    ask.devices.pod.joint = joint;
    ask.more_nics = true;
    return ask;
}

/// A request for GPUs of one or several groups, and for NICs, as group-allocator words it.
inline DeviceAsk random_groups(Dice& dice) {
    DeviceAsk ask;
    ask.gpus = dice.roll(1, 4);
    const bool outer = dice.chance(30);
    const std::int64_t parts = dice.roll(1, 2);
    for (std::int64_t gpu = 0; gpu < ask.gpus; ++gpu) {
        const std::string name = fmt::format("resource/group/{}gpugrp0/{}/gpu/{}/cards",
                                             outer ? "gpugrp1/A/" : "",
                                             gpu % parts,
                                             gpu);
        ask.devices.groups[name] = 1;
    }
    if (dice.chance(30)) {
        ask.nics = 1;
        ask.of_nic = 100;
        ask.devices.groups[outer ? "resource/group/gpugrp1/A/rdma/0/cards"
                                 : "resource/group/rdma/0/cards"] = 1;
    }
    for (const auto& [name, amount] : ask.devices.groups) {
        ask.devices.text += name + "\n";
    }
    return ask;
}

/// A random pod that the allocator of this name understands.
inline DeviceAsk random_ask(Dice& dice, const std::string& allocator) {
    if (allocator == "device-allocator" && dice.chance(50)) {
        return dice.chance(60) ? random_share(dice) : random_joint(dice);
    }
    if (allocator == "group-allocator" && dice.chance(40)) {
        return random_groups(dice);
    }
    constexpr std::array<core::Amount, 6> counts{0, 1, 1, 2, 4, 8};
    constexpr std::array<core::Amount, 6> amounts{0, 0, 0, 40, 100, 200};
    DeviceAsk ask = ask_for(counts[static_cast<std::size_t>(dice.roll(0, 5))],
                            amounts[static_cast<std::size_t>(dice.roll(0, 5))]);
    if (ask.gpus == 0 && ask.nics == 0) {
        ask = ask_for(1, 0);
    }
    if (allocator == "group-allocator" && ask.nics > 0) {
        ask.of_nic = 100;
    }
    return ask;
}

/// A plain, unoptimised model of the inside of a machine: it compares devices with each other.
class DeviceBooks {
public:
    explicit DeviceBooks(const core::MachineType& type) : type_(type) {
        for (const core::DeviceGroup& group : type.devices) {
            for (std::int64_t i = 0; i < group.count; ++i) {
                const auto at = static_cast<std::size_t>(i);
                Place place;
                if (!group.numa.empty()) {
                    place.numa = group.numa[at];
                }
                if (!group.pcie.empty()) {
                    place.pcie = std::pair(group.pcie[at], node_of(group.pcie[at], place.numa));
                }
                for (std::size_t island = 0; island < group.nvlink.size(); ++island) {
                    if (std::ranges::count(group.nvlink[island], i) > 0) {
                        place.island = island;
                    }
                }
                (group.kind == "gpu" ? gpus_ : nics_).push_back(place);
            }
        }
    }

    [[nodiscard]] std::size_t gpu_count() const { return gpus_.size(); }
    [[nodiscard]] std::size_t nic_count() const { return nics_.size(); }

    [[nodiscard]] core::Locality locality(core::DeviceMask gpus, core::DeviceMask nics) const {
        core::Locality out{true, true, true, nics != 0};
        for (std::size_t a = 0; a < gpus_.size(); ++a) {
            if ((gpus & core::bit(a)) == 0) {
                continue;
            }
            bool beside = false;
            for (std::size_t nic = 0; nic < nics_.size(); ++nic) {
                beside = beside || ((nics & core::bit(nic)) != 0 && gpus_[a].pcie &&
                                    gpus_[a].pcie == nics_[nic].pcie);
            }
            out.nic_beside = out.nic_beside && beside;
            for (std::size_t b = 0; b < gpus_.size(); ++b) {
                if ((gpus & core::bit(b)) != 0) {
                    out.pcie = out.pcie && gpus_[a].pcie && gpus_[a].pcie == gpus_[b].pcie;
                    out.nvlink =
                        out.nvlink && gpus_[a].island && gpus_[a].island == gpus_[b].island;
                    out.numa = out.numa && gpus_[a].numa && gpus_[a].numa == gpus_[b].numa;
                }
            }
        }
        return out;
    }

    /// Tries all sets of `gpu_count` GPUs and of `nic_count` NICs.
    [[nodiscard]] core::Locality attainable(core::DeviceMask free_gpus,
                                            core::DeviceMask free_nics,
                                            int gpu_count,
                                            int nic_count) const {
        core::Locality best;
        const int most = std::min(nic_count, std::popcount(all_nics() & free_nics));
        for (core::DeviceMask gpus = 1; gpus < core::bit(gpus_.size()); ++gpus) {
            if (std::popcount(gpus) != gpu_count || (gpus & ~free_gpus) != 0) {
                continue;
            }
            const core::Locality without = locality(gpus, 0);
            best.pcie = best.pcie || without.pcie;
            best.nvlink = best.nvlink || without.nvlink;
            best.numa = best.numa || without.numa;
            for (core::DeviceMask nics = 1; nics < core::bit(nics_.size()); ++nics) {
                if (!best.nic_beside && std::popcount(nics) == most && (nics & ~free_nics) == 0) {
                    best.nic_beside = locality(gpus, nics).nic_beside;
                }
            }
        }
        return best;
    }

    [[nodiscard]] std::size_t whole_free(core::DeviceMask free_gpus) const {
        const bool has_islands =
            std::ranges::any_of(gpus_, [](const Place& gpu) { return gpu.island.has_value(); });
        const auto together = [&](const Place& a, const Place& b) {
            return has_islands ? a.island && a.island == b.island : a.numa && a.numa == b.numa;
        };
        std::size_t count = 0;
        for (const Place& gpu : gpus_) {
            bool whole = together(gpu, gpu);
            for (std::size_t other = 0; other < gpus_.size(); ++other) {
                whole =
                    whole && (!together(gpu, gpus_[other]) || (free_gpus & core::bit(other)) != 0);
            }
            count += whole ? 1 : 0;
        }
        return count;
    }

private:
    struct Place {
        std::optional<std::int64_t> numa;
        std::optional<std::pair<std::int64_t, std::optional<std::int64_t>>> pcie;
        std::optional<std::size_t> island;
    };
    /// The NUMA node of a switch: the one that the device itself states, or else the only one known
    /// to have that switch.
    [[nodiscard]] std::optional<std::int64_t> node_of(std::int64_t pcie,
                                                      std::optional<std::int64_t> numa) const {
        std::set<std::int64_t> nodes;
        for (const core::DeviceGroup& group : type_.devices) {
            for (std::size_t i = 0; i < group.pcie.size() && !group.numa.empty(); ++i) {
                if (group.pcie[i] == pcie) {
                    nodes.insert(group.numa[i]);
                }
            }
        }
        return numa || nodes.size() != 1 ? numa : std::optional(*nodes.begin());
    }
    [[nodiscard]] core::DeviceMask all_nics() const { return core::bit(nics_.size()) - 1; }

    core::MachineType type_;
    std::vector<Place> gpus_;
    std::vector<Place> nics_;
};

}  // namespace berth::tests

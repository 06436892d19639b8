#include "core/device_allocator/device_inventory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "core/support/assert.hpp"

namespace berth::core {
namespace {

/// Gives the number n to the n-th distinct key.
template <class Key>
class Numbers {
public:
    std::int16_t of(Key key) {
        return numbers_.try_emplace(std::move(key), static_cast<std::int16_t>(numbers_.size()))
            .first->second;
    }

private:
    std::map<Key, std::int16_t> numbers_;
};

std::string_view label(const Labels& labels, std::string_view name) {
    const auto at = labels.find(name);
    return at == labels.end() ? std::string_view() : std::string_view(at->second);
}

bool is_hopper(const Labels& node) {
    const std::string_view vendor = label(node, "node.koordinator.sh/gpu-vendor");
    const std::string_view model = label(node, "node.koordinator.sh/gpu-model");
    return (vendor.empty() || vendor == "nvidia") &&
           (model == "H100" || model == "H800" || model == "H20");
}

bool says_honor(const Labels& labels) {
    return label(labels, "node.koordinator.sh/gpu-partition-policy") == "Honor";
}

std::vector<std::string> basic_resources(DeviceType type) {
    switch (type) {
        case DeviceType::gpu:
            return {std::string(device_resource::gpu_core),
                    std::string(device_resource::gpu_memory),
                    std::string(device_resource::gpu_memory_ratio)};
        case DeviceType::rdma:
            return {std::string(device_resource::rdma)};
        case DeviceType::fpga:
            return {std::string(device_resource::fpga)};
    }
    return {};
}

}  // namespace

std::optional<std::size_t> DevicesOfType::find_minor(std::int32_t minor) const {
    const auto at = std::ranges::lower_bound(devices, minor, {}, &DeviceDescription::minor);
    return at != devices.end() && at->minor == minor
               ? std::optional(static_cast<std::size_t>(at - devices.begin()))
               : std::nullopt;
}

std::optional<std::size_t> DevicesOfType::find_resource(std::string_view name) const {
    const auto at = std::ranges::find(resources, name);
    return at != resources.end() ? std::optional(static_cast<std::size_t>(at - resources.begin()))
                                 : std::nullopt;
}

std::optional<std::string> DeviceInventory::refusal(const MachineDevices& machine) {
    ByDeviceType<std::set<std::int32_t>> minors;
    std::set<std::pair<std::int32_t, std::string_view>> switches;
    for (const DeviceDescription& device : machine.devices) {
        if (!minors[device.type].insert(device.minor).second) {
            return fmt::format("{} {} is there twice: expected each minor of a type once",
                               to_string(device.type),
                               device.minor);
        }
        if (device.topology) {
            switches.emplace(device.topology->numa_node, device.topology->pcie);
        }
    }
    for (const DeviceType type : device_request_order) {
        if (minors[type].size() > devices_of_type_max) {
            return fmt::format("the machine has {} devices of type {}: expected at most {}",
                               minors[type].size(),
                               to_string(type),
                               devices_of_type_max);
        }
    }
    if (switches.size() > devices_of_type_max) {
        return fmt::format("the machine has {} PCIe switches: expected at most {}",
                           switches.size(),
                           devices_of_type_max);
    }
    return std::nullopt;
}

DeviceInventory::DeviceInventory(MachineDevices machine) {
    BERTH_ASSERT(!refusal(machine), "the reader asks refusal() first");
    for (DeviceDescription& device : machine.devices) {
        types_[device.type].devices.push_back(std::move(device));
    }
    for (DevicesOfType& type : types_.values) {
        std::ranges::sort(type.devices, {}, &DeviceDescription::minor);
    }
    count_resources(machine);
    number_places();
    number_functions();
    build_tree();
    choose_partitions(machine);
    well_planned_ =
        label(machine.device_labels, "node.koordinator.sh/secondary-device-well-planned") == "true";
}

void DeviceInventory::count_resources(const MachineDevices& machine) {
    for (const DeviceType kind : device_request_order) {
        DevicesOfType& type = types_[kind];
        type.resources = basic_resources(kind);
        const auto add = [&](const std::string& name) {
            if (!type.find_resource(name)) {
                type.resources.push_back(name);
            }
        };
        for (const DeviceDescription& device : type.devices) {
            for (const auto& [name, amount] : device.resources) {
                add(name);
            }
        }
        for (const auto& [of, name] : machine.also_counted) {
            if (of == kind) {
                add(name);
            }
        }
        BERTH_ASSERT(type.resources.size() <= 64, "resources of a type are bits of a word");
        type.total.resize(type.size() * type.resources.size());
        type.published.resize(type.size());
        for (std::size_t d = 0; d < type.size(); ++d) {
            const DeviceDescription& device = type.devices[d];
            type.listed |= device.listed ? bit(d) : 0;
            type.has_vf_groups = type.has_vf_groups || !device.vf_groups.empty();
            if (!device.healthy || !device.listed) {
                continue;
            }
            for (const auto& [name, amount] : device.resources) {
                const auto found = type.find_resource(name);
                BERTH_ASSERT(found, "what a device publishes is a resource of its type");
                const std::size_t r = *found;
                type.total[d * type.resources.size() + r] = amount;
                type.published[d] |= bit(r);
                type.healthy |= amount > 0 ? bit(d) : 0;
            }
        }
        type.first_used = amount_count_;
        amount_count_ += type.total.size();
    }
}

void DeviceInventory::number_places() {
    Numbers<std::pair<std::int32_t, std::string_view>> switches;
    Numbers<std::string_view> names;
    Numbers<std::int32_t> numa_nodes;
    for (const DeviceType kind : device_request_order) {
        DevicesOfType& type = types_[kind];
        for (const DeviceDescription& device : type.devices) {
            const auto& topology = device.topology;
            constexpr std::int16_t nowhere = DevicesOfType::nowhere;
            type.numa.push_back(topology ? numa_nodes.of(topology->numa_node) : nowhere);
            type.pcie_name.push_back(topology ? names.of(topology->pcie) : nowhere);
            type.pcie.push_back(topology ? switches.of({topology->numa_node, topology->pcie})
                                         : nowhere);
        }
    }
}

void DeviceInventory::number_functions() {
    for (const DeviceType kind : device_request_order) {
        DevicesOfType& type = types_[kind];
        for (const DeviceDescription& device : type.devices) {
            std::vector<VfEntry>& entries = type.functions.emplace_back();
            for (std::size_t group = 0; group < device.vf_groups.size(); ++group) {
                for (const VirtualFunction& function : device.vf_groups[group].functions) {
                    entries.push_back({function, group, 0});
                }
            }
            std::ranges::stable_sort(
                entries, {}, [](const VfEntry& entry) { return entry.function.bus_id; });
            for (std::size_t i = 0; i < entries.size(); ++i) {
                const bool again =
                    i > 0 && entries[i].function.bus_id == entries[i - 1].function.bus_id;
                entries[i].slot = again ? entries[i - 1].slot : vf_slot_count_++;
            }
        }
    }
}

void DeviceInventory::build_tree() {
    const DevicesOfType& gpus = types_[DeviceType::gpu];
    std::vector<GpuPlace> places;
    for (std::size_t d = 0; d < gpus.size(); ++d) {
        const DeviceDescription& gpu = gpus.devices[d];
        if (gpu.listed && !gpu.topology) {
            return;
        }
        if (gpu.listed) {
            places.push_back({d, gpu.topology->numa_node, gpu.topology->pcie});
        }
    }
    if (!places.empty()) {
        tree_ = make_gpu_tree(places, gpus.all());
    }
}

void DeviceInventory::choose_partitions(const MachineDevices& machine) {
    std::vector<std::int32_t> minors;
    for (const DeviceDescription& gpu : types_[DeviceType::gpu].devices) {
        minors.push_back(gpu.minor);
    }
    const bool own = machine.partitions.has_value();
    if (own) {
        partitions_ = group_partitions(*machine.partitions, minors);
    } else if (is_hopper(machine.node_labels)) {
        partitions_ = group_partitions(hopper_partitions(), minors);
    }
    honors_partitions_ = says_honor(own ? machine.device_labels : machine.node_labels);
}

}  // namespace berth::core

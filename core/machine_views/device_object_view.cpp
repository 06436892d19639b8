#include "core/machine_views/device_object_view.hpp"

#include <fmt/format.h>

#include "core/machine_views/device_places.hpp"

namespace berth::core {
namespace {

constexpr Amount whole = 100;
constexpr std::string_view numa_switch =
    "numa";  ///< The id of a switch that stands for a NUMA node.

/// Hands out PCI addresses. Each device begins a new bus.
class PciAddresses {
public:
    void begin_device() {
        next_ = (next_ + functions_per_bus) / functions_per_bus * functions_per_bus;
    }
    std::string take() {
        const std::uint64_t at = next_++;
        return fmt::format(
            "{:04x}:{:02x}:{:02x}.{:x}", at >> 16, at >> 8 & 0xff, at >> 3 & 0x1f, at & 7);
    }

private:
    static constexpr std::uint64_t functions_per_bus = 256;
    std::uint64_t next_ = 0;
};

std::optional<DeviceTopology> topology_of(const DevicePlace& place, const std::string& bus_id) {
    if (!place.numa && !place.pcie) {
        return std::nullopt;
    }
    DeviceTopology topology;
    topology.numa_node = static_cast<std::int32_t>(place.numa.value_or(-1));
    topology.socket = static_cast<std::int32_t>(place.numa.value_or(0));
    topology.pcie = place.pcie ? *place.pcie : fmt::format("{}{}", numa_switch, *place.numa);
    topology.bus_id = bus_id;
    return topology;
}

DeviceDescription describe(DeviceType type,
                           const DeviceGroup& group,
                           std::int32_t minor,
                           const DevicePlace& place,
                           PciAddresses& addresses) {
    addresses.begin_device();
    const std::string bus_id = addresses.take();
    DeviceDescription device;
    device.type = type;
    device.minor = minor;
    device.topology = topology_of(place, bus_id);
    if (!group.model.empty()) {
        device.labels[std::string(model_label)] = group.model;
    }
    if (place.island) {
        device.labels[std::string(island_label)] = fmt::format("{}", *place.island);
    }
    switch (type) {
        case DeviceType::gpu:
            device.uuid = fmt::format("GPU-{}", minor);
            device.resources[std::string(device_resource::gpu_core)] = whole;
            device.resources[std::string(device_resource::gpu_memory_ratio)] = whole;
            if (group.memory_bytes > 0) {
                device.resources[std::string(device_resource::gpu_memory)] = group.memory_bytes;
            }
            break;
        case DeviceType::rdma:
            device.uuid = bus_id;
            device.resources[std::string(device_resource::rdma)] = whole;
            break;
        case DeviceType::fpga:
            device.uuid = fmt::format("FPGA-{}", minor);
            device.resources[std::string(device_resource::fpga)] = whole;
            break;
    }
    if (group.virtual_functions > 0) {
        VirtualFunctionGroup& functions = device.vf_groups.emplace_back();
        for (std::int64_t i = 0; i < group.virtual_functions; ++i) {
            functions.functions.push_back({static_cast<std::int32_t>(i), addresses.take()});
        }
    }
    return device;
}

/// The text of a label, or "".
std::string label(const DeviceDescription& device, std::string_view name) {
    const auto found = device.labels.find(name);
    return found == device.labels.end() ? std::string() : found->second;
}

}  // namespace

MachineDevices device_object_view(const MachineType& type) {
    const auto places = device_places(type.devices);
    MachineDevices machine;
    PciAddresses addresses;
    for (std::size_t g = 0; g < type.devices.size(); ++g) {
        const DeviceGroup& group = type.devices[g];
        const auto kind = device_type_named(group.kind);
        if (!kind) {
            continue;
        }
        for (std::size_t i = 0; i < places[g].size(); ++i) {
            machine.devices.push_back(
                describe(*kind, group, static_cast<std::int32_t>(i), places[g][i], addresses));
        }
    }
    return machine;
}

std::vector<DeviceGroup> devices_of_device_object(const MachineDevices& machine) {
    std::vector<SeenDevice> seen;
    for (const DeviceDescription& device : machine.devices) {
        if (!device.listed) {
            continue;
        }
        SeenDevice& out = seen.emplace_back();
        out.kind = to_string(device.type);
        out.index = device.minor;
        out.model = label(device, model_label);
        out.island = label(device, island_label);
        const auto memory = device.resources.find(device_resource::gpu_memory);
        out.memory_bytes = memory == device.resources.end() ? 0 : memory->second;
        for (const VirtualFunctionGroup& group : device.vf_groups) {
            out.virtual_functions += static_cast<std::int64_t>(group.functions.size());
        }
        if (device.topology && device.topology->numa_node >= 0) {
            out.numa = device.topology->numa_node;
        }
        if (device.topology && !device.topology->pcie.starts_with(numa_switch)) {
            out.pcie = device.topology->pcie;
        }
    }
    return device_groups(std::move(seen));
}

}  // namespace berth::core

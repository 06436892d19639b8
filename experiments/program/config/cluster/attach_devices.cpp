#include "experiments/program/config/cluster/attach_devices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <Eigen/Core>

#include <algorithm>
#include <map>
#include <set>

#include "core/gpu_shares/gpu_request.hpp"
#include "core/machine_views/device_object_view.hpp"
#include "core/support/text.hpp"
#include "core/tree/device_names.hpp"
#include "experiments/program/config/cluster/read_device.hpp"
#include "experiments/program/config/document/fields.hpp"

namespace berth::experiments {
namespace {

using core::Amount;
using core::DeviceDescription;
using core::MachineDevices;
using core::MachineType;

constexpr std::string_view gpu_kind = "gpu";

Amount described_gpus(const core::MachineType& type) {
    Amount count = 0;
    for (const core::DeviceGroup& group : type.devices) {
        count += group.kind == gpu_kind ? group.count : 0;
    }
    return count;
}

/// What is wrong with a number of GPUs, in thousandths, that a machine type only counts; "" if
/// nothing.
std::string fault_of(Amount milli) {
    const Amount gpus = milli / core::gpu_whole_milli;
    if (milli % core::gpu_whole_milli != 0) {
        return fmt::format(
            "has {}m nvidia.com/gpu: expected a whole number of GPUs where they are "
            "given out one by one",
            milli);
    }
    if (gpus > static_cast<Amount>(core::devices_of_type_max)) {
        return fmt::format("has {} GPUs: expected at most {} where they are given out one by one",
                           gpus,
                           core::devices_of_type_max);
    }
    return "";
}

/// Replaces the ids of devices. Nothing in a run depends on them, except that virtual functions are
/// taken in the order of their addresses.
void forget_ids(DeviceDescription& device) {
    std::set<std::string> addresses;
    for (const core::VirtualFunctionGroup& group : device.vf_groups) {
        for (const core::VirtualFunction& function : group.functions) {
            addresses.insert(function.bus_id);
        }
    }
    for (core::VirtualFunctionGroup& group : device.vf_groups) {
        for (core::VirtualFunction& function : group.functions) {
            const auto order = std::distance(addresses.begin(), addresses.find(function.bus_id));
            function.bus_id = fmt::format("{:06}", order);
        }
    }
    device.uuid.clear();
    if (device.topology) {
        device.topology->bus_id.clear();
    }
}

/// A text that is equal for machines that are alike.
std::string description(const MachineDevices& machine) {
    std::string out;
    for (const DeviceDescription& device : machine.devices) {
        out += fmt::format("{} {} {} {};",
                           core::to_string(device.type),
                           device.minor,
                           device.healthy,
                           fmt::join(device.labels, ","));
        if (device.topology) {
            out += fmt::format("{} {} {};",
                               device.topology->socket,
                               device.topology->numa_node,
                               device.topology->pcie);
        }
        out += fmt::format("{};", fmt::join(device.resources, ","));
        for (const core::VirtualFunctionGroup& group : device.vf_groups) {
            out += fmt::format("{}:", fmt::join(group.labels, ","));
            for (const core::VirtualFunction& function : group.functions) {
                out += fmt::format("{}={},", function.minor, function.bus_id);
            }
        }
        out += '\n';
    }
    out += fmt::format(
        "{};{}", fmt::join(machine.device_labels, ","), fmt::join(machine.node_labels, ","));
    for (const auto& [count, partitions] : machine.partitions.value_or(core::GpuPartitionTable())) {
        for (const core::GpuPartition& partition : partitions) {
            out += fmt::format("\n{}: {} {} {}",
                               count,
                               fmt::join(partition.minors, ","),
                               partition.allocation_score,
                               partition.ring_bus_bandwidth.value_or(-1));
        }
    }
    return out;
}

/// The machine types of a tree, and those that Device objects turn them into.
class MachineTypes {
public:
    explicit MachineTypes(const core::Topology& tree) : types_(tree.machine_types()) {}

    std::uint32_t with(std::uint32_t before, MachineDevices machine) {
        std::ranges::for_each(machine.devices, forget_ids);
        const auto [known, fresh] =
            known_.try_emplace({before, description(machine)}, types_.size());
        if (fresh) {
            MachineType type = types_[before];
            type.name = fmt::format("{}-devices-{}", type.name, known_.size());
            type.devices = core::devices_of_device_object(machine);
            type.device_object = std::make_shared<const MachineDevices>(std::move(machine));
            types_.push_back(std::move(type));
        }
        return static_cast<std::uint32_t>(known->second);
    }
    /// The types that servers have. `of_server` then has indices into these.
    std::vector<MachineType> take(std::vector<std::uint32_t>& of_server) {
        std::map<std::uint32_t, std::uint32_t> place;
        std::vector<MachineType> used;
        for (std::uint32_t& type : of_server) {
            const auto [known, fresh] =
                place.try_emplace(type, static_cast<std::uint32_t>(used.size()));
            if (fresh) {
                used.push_back(types_[type]);
            }
            type = known->second;
        }
        return used;
    }

private:
    std::vector<MachineType> types_;
    std::map<std::pair<std::uint32_t, std::string>, std::size_t> known_;
};

}  // namespace

core::Topology with_counted_gpus(core::Topology tree,
                                 const core::SourceSpan& span,
                                 core::Diagnostics& diagnostics) {
    const auto gpu = tree.resources().find(core::device_resource::nvidia_gpu);
    if (!gpu) {
        return tree;
    }
    std::vector<core::MachineType> types = tree.machine_types();
    for (core::MachineType& type : types) {
        const Amount milli = type.capacity(static_cast<Eigen::Index>(*gpu));
        const Amount described = described_gpus(type);
        const std::string fault = described == 0 ? fault_of(milli) : "";
        if (!fault.empty()) {
            diagnostics.error(span, fmt::format("machine type '{}' {}", type.name, fault));
        } else if (described > 0 && milli > described * core::gpu_whole_milli) {
            diagnostics.warning(
                span,
                fmt::format("machine type '{}' counts {} GPUs and describes {}: pods get no more "
                            "than it describes",
                            type.name,
                            tree.resources().format(*gpu, milli),
                            described));
        } else if (described == 0 && milli > 0 && type.device_object == nullptr) {
            core::DeviceGroup& gpus = type.devices.emplace_back();
            gpus.kind = gpu_kind;
            gpus.count = milli / core::gpu_whole_milli;
        }
    }
    std::vector<std::uint32_t> of_server;
    of_server.reserve(tree.server_count());
    for (std::uint32_t server = 0; server < tree.server_count(); ++server) {
        of_server.push_back(tree.machine_type_index(core::ServerId{server}));
    }
    return core::TopologyBuilder::with_machine_types(
        std::move(tree), std::move(types), std::move(of_server));
}

core::Topology attach_devices(const core::Value& list,
                              core::Topology tree,
                              core::Diagnostics& diagnostics) {
    if (!list.is_list()) {
        expected(list, "a list such as [{file: devices.yaml}]", diagnostics);
        return tree;
    }
    std::vector<std::uint32_t> types;
    for (std::uint32_t server = 0; server < tree.server_count(); ++server) {
        types.push_back(tree.machine_type_index(core::ServerId{server}));
    }
    MachineTypes machines(tree);
    const auto servers = tree.servers_by_name();
    std::set<std::string> seen;
    for (const core::Value& item : list.items) {
        core::MapReader map(item, "an entry of devices", diagnostics);
        (void)map.take("file");
        const core::Value* objects = map.take("objects");
        map.report_unknown_keys();
        if (objects == nullptr || !objects->is_list()) {
            core::expected(objects != nullptr ? *objects : item,
                           "file: devices.yaml, or objects: a list of Device objects",
                           diagnostics);
            continue;
        }
        for (const core::Value& object : objects->items) {
            if (!holds_devices(object)) {
                core::expected(object,
                               "an object such as {kind: Device, metadata: {name: server-0}, "
                               "spec: {devices: ...}}",
                               diagnostics);
            }
        }
        for (ReadDevice& device : read_devices(objects->items, diagnostics)) {
            const auto server = servers.find(device.name);
            if (server == servers.end()) {
                diagnostics.error(
                    device.span,
                    fmt::format("no server '{}': expected one of the topology's", device.name));
            } else if (!seen.insert(device.name).second) {
                diagnostics.error(
                    device.span, fmt::format("a second Device of '{}': expected one", device.name));
            } else {
                std::uint32_t& type = types[server->second.index];
                type = machines.with(type, std::move(device.machine));
            }
        }
    }
    std::vector<MachineType> used = machines.take(types);
    return core::TopologyBuilder::with_machine_types(
        std::move(tree), std::move(used), std::move(types));
}

}  // namespace berth::experiments

#include <fmt/format.h>

#include <array>

#include "experiments/program/config/workload/device_annotations.hpp"

namespace berth::experiments {
namespace {

/// A number of units with the largest suffix that divides it: 1000 is "1k".
std::string decimal_quantity(core::Amount amount) {
    constexpr std::array<std::string_view, 7> suffixes{"", "k", "M", "G", "T", "P", "E"};
    std::size_t suffix = 0;
    while (amount != 0 && amount % 1000 == 0 && suffix + 1 < suffixes.size()) {
        amount /= 1000;
        ++suffix;
    }
    return fmt::format("{}{}", amount, suffixes[suffix]);
}

/// Memory, by 1024; what is less than that is written as any other number.
std::string binary_quantity(core::Amount amount) {
    if (amount < 1024) {
        return decimal_quantity(amount);
    }
    constexpr std::array<std::string_view, 7> suffixes{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    std::size_t suffix = 0;
    while (amount % 1024 == 0 && suffix + 1 < suffixes.size()) {
        amount /= 1024;
        ++suffix;
    }
    return fmt::format("{}{}", amount, suffixes[suffix]);
}

Json describe_pick(const core::DevicesOfType& type,
                   const core::DeviceGrants& grants,
                   std::size_t pick) {
    const core::DeviceDescription& device = type.devices[grants.devices[pick]];
    std::map<std::string, std::string> resources;
    for (std::size_t r = 0; r < type.resources.size(); ++r) {
        const core::Amount amount = grants.amounts[pick * type.resources.size() + r];
        if (amount != core::DeviceGrants::absent) {
            const std::string& name = type.resources[r];
            resources[name] = name == core::device_resource::gpu_memory ? binary_quantity(amount)
                                                                        : decimal_quantity(amount);
        }
    }
    Json out{{"minor", device.minor}, {"resources", resources}};
    if (!device.uuid.empty()) {
        out["id"] = device.uuid;
    }
    if (!grants.vfs.empty() && grants.vfs[pick] != core::DeviceGrants::no_vf) {
        const auto entry = static_cast<std::size_t>(grants.vfs[pick]);
        const core::VirtualFunction& function =
            type.functions[grants.devices[pick]][entry].function;
        Json vf = Json::object();
        if (function.minor != 0) {
            vf["minor"] = function.minor;
        }
        vf["busID"] = function.bus_id;
        out["extension"] = {{"vfs", Json::array({std::move(vf)})}};
    }
    return out;
}

}  // namespace

Json device_allocations(const core::DeviceInventory& inventory,
                        const core::DeviceAllocation& allocation) {
    Json out = Json::object();
    for (const core::DeviceType type :
         {core::DeviceType::fpga, core::DeviceType::gpu, core::DeviceType::rdma}) {
        const core::DeviceGrants& grants = allocation[type];
        for (std::size_t pick = 0; pick < grants.devices.size(); ++pick) {
            out[std::string(to_string(type))].push_back(
                describe_pick(inventory.of(type), grants, pick));
        }
    }
    return out;
}

std::string device_allocated_annotation(const core::DeviceInventory& inventory,
                                        const core::DeviceAllocation& allocation) {
    return device_allocations(inventory, allocation)
        .dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace berth::experiments

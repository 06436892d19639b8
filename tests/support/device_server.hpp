#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/device_allocator/device_allocator.hpp"

namespace berth::tests {

using core::DeviceSolver;
using core::DeviceType;
using Minors = std::vector<int>;

inline constexpr DeviceType gpu = DeviceType::gpu;
inline constexpr DeviceType rdma = DeviceType::rdma;

inline core::DeviceDescription device(DeviceType type,
                                      int minor,
                                      int numa,
                                      const std::string& pcie) {
    core::DeviceDescription out;
    out.type = type;
    out.minor = minor;
    out.topology = {numa, numa, pcie, ""};
    if (type == gpu) {
        out.resources = {{"koordinator.sh/gpu-core", 100},
                         {"koordinator.sh/gpu-memory", 80},
                         {"koordinator.sh/gpu-memory-ratio", 100}};
    } else {
        out.resources = {{"koordinator.sh/" + std::string(to_string(type)), 100}};
    }
    return out;
}

/// Eight switches, four on each NUMA node, with one GPU each; those listed in `nics` also have a
/// NIC.
inline core::MachineDevices machine(const Minors& nics = {0, 1, 2, 3, 4, 5, 6, 7}) {
    core::MachineDevices out;
    for (int minor = 0; minor < 8; ++minor) {
        out.devices.push_back(device(gpu, minor, minor / 4, std::to_string(minor)));
    }
    for (const int minor : nics) {
        out.devices.push_back(device(rdma, minor, minor / 4, std::to_string(minor)));
    }
    return out;
}

/// Four switches on one NUMA node, each with two GPUs and a NIC.
inline core::MachineDevices pairs() {
    core::MachineDevices out;
    for (int minor = 0; minor < 8; ++minor) {
        out.devices.push_back(device(gpu, minor, 0, std::to_string(minor / 2)));
    }
    for (int minor = 0; minor < 4; ++minor) {
        out.devices.push_back(device(rdma, minor, 0, std::to_string(minor)));
    }
    return out;
}

inline core::MachineDevices with_functions(core::MachineDevices out) {
    for (core::DeviceDescription& one : out.devices) {
        if (one.type == rdma) {
            const std::string bus = "0000:" + std::to_string(one.minor) + ":00.";
            one.vf_groups = {{{{"type", "general"}}, {{1, bus + "3"}, {0, bus + "2"}}}};
        }
    }
    return out;
}

inline core::DevicePod pod(core::Amount gpus, core::Amount nics) {
    core::DevicePod out;
    out.requests = {{"nvidia.com/gpu", gpus}, {"koordinator.sh/rdma", nics}};
    return out;
}

inline core::DevicePod jointly(core::Amount gpus, core::Amount nics, bool same_pcie = false) {
    core::DevicePod out = pod(gpus, nics);
    out.joint = core::DeviceJoint{{gpu, rdma}, same_pcie};
    return out;
}

/// The state of a server of this type, and the pod that asks for devices.
class Server {
public:
    explicit Server(core::MachineDevices devices)
        : inventory(std::make_shared<const core::DeviceInventory>(std::move(devices))),
          state(*inventory) {}

    /// Marks so much of each resource of a device as used (percent, of 100).
    Server& use(DeviceType type, int minor, core::Amount percent = 100) {
        core::DeviceAllocation taken;
        const std::size_t d = *inventory->of(type).find_minor(minor);
        taken[type].devices = {static_cast<std::uint8_t>(d)};
        taken[type].amounts.assign(inventory->of(type).resources.size(), percent);
        state.take(*inventory, taken);
        return *this;
    }

    core::DeviceOutcome ask(const core::DevicePod& asked,
                            DeviceSolver solver = DeviceSolver::greedy,
                            const core::DeviceRules& rules = core::documented_rules()) const {
        const auto request = core::translate(asked, rules);
        if (const auto* refusal = std::get_if<core::DeviceRefusal>(&request)) {
            return *refusal;
        }
        core::DeviceOptions options;
        options.rules = rules;
        options.solver = solver;
        return core::DeviceAllocator(inventory, std::get<core::DeviceRequest>(request), options)
            .allocate(state);
    }

    /// The minors by type, such as "gpu 0 1 rdma 0", or the reason for a refusal.
    std::string tell(const core::DeviceOutcome& outcome) const {
        if (const auto* refusal = std::get_if<core::DeviceRefusal>(&outcome)) {
            return refusal->text();
        }
        std::string out;
        for (const DeviceType type : core::device_request_order) {
            const auto& grants = std::get<core::GrantedDevices>(outcome).devices[type];
            out += grants.devices.empty() ? ""
                   : out.empty()          ? std::string(to_string(type))
                                          : " " + std::string(to_string(type));
            for (const std::size_t d : grants.devices) {
                out += " " + std::to_string(inventory->of(type).devices[d].minor);
            }
        }
        return out;
    }
    std::string told(const core::DevicePod& asked,
                     DeviceSolver solver = DeviceSolver::greedy,
                     const core::DeviceRules& rules = core::documented_rules()) const {
        return tell(ask(asked, solver, rules));
    }
    const core::DeviceAllocation allocation(const core::DevicePod& asked) const {
        return std::get<core::GrantedDevices>(ask(asked)).devices;
    }

    std::shared_ptr<const core::DeviceInventory> inventory;
    core::DeviceState state;
};

inline constexpr auto violation = "node(s) Device Joint-Allocate rules violation";

}  // namespace berth::tests

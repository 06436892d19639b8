#include "tests/model/random_devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/model/random_gpus.hpp"

namespace berth::tests {
namespace {

using core::Amount;
using core::DeviceType;

template <class T>
const T& one_of(Dice& dice, const std::vector<T>& all) {
    return all[static_cast<std::size_t>(dice.roll(0, std::ssize(all) - 1))];
}

/// Up to four switches on one or two NUMA nodes, possibly with the same numbers on both.
struct Board {
    std::vector<std::pair<std::int64_t, std::int64_t>> switches;  ///< NUMA nodes and numbers.

    explicit Board(Dice& dice) {
        const std::int64_t count = dice.roll(1, 4);
        const std::int64_t nodes = dice.roll(1, 2);
        const bool same_numbers = dice.chance(20);
        for (std::int64_t i = 0; i < count; ++i) {
            const std::int64_t node = i * nodes / count;
            switches.emplace_back(node, same_numbers ? i - node * count / 2 : i);
        }
    }
    [[nodiscard]] core::DeviceGroup devices(Dice& dice, const char* kind, std::int64_t most) const {
        core::DeviceGroup group;
        group.kind = kind;
        group.count = dice.chance(10) ? 0 : dice.roll(1, most);
        for (std::int64_t i = 0; i < group.count; ++i) {
            const std::int64_t next = i * std::ssize(switches) / group.count;
            const auto at = dice.chance(80)
                                ? static_cast<std::size_t>(next)
                                : static_cast<std::size_t>(dice.roll(0, std::ssize(switches) - 1));
            group.numa.push_back(switches[at].first);
            group.pcie.push_back(switches[at].second);
        }
        return group;
    }
};

/// Adds hints about which types belong together, and how near; the text is that of an experiment.
void add_hints(Dice& dice, core::PodDevices& pod, bool exact) {
    std::string annotations;
    const auto add = [&](const std::string& name, const std::string& value) {
        annotations += annotations.empty() ? "" : ", ";
        annotations += fmt::format("scheduling.koordinator.sh/{}: '{}'", name, value);
    };
    if (dice.chance(70)) {
        using Types = std::vector<DeviceType>;
        core::DeviceJoint& joint = pod.pod.joint.emplace();
        joint.types = exact || dice.chance(70) ? Types{DeviceType::gpu, DeviceType::rdma}
                                               : Types{DeviceType::rdma, DeviceType::gpu};
        joint.same_pcie = dice.chance(50);
        add("device-joint-allocate",
            fmt::format(R"({{"deviceTypes": ["{}", "{}"]{}}})",
                        to_string(joint.types.front()),
                        to_string(joint.types.back()),
                        joint.same_pcie ? R"(, "requiredScope": "SamePCIe")" : ""));
    }
    if (dice.chance(25)) {
        const auto [scope, name] = one_of<std::pair<core::TopologyScope, std::string>>(
            dice,
            {{core::TopologyScope::device, "Device"},
             {core::TopologyScope::pcie, "PCIe"},
             {core::TopologyScope::numa_node, "NUMANode"},
             {core::TopologyScope::machine, "Node"}});
        pod.pod.hints[DeviceType::gpu].required_scope = scope;
        add("device-allocate-hint",
            fmt::format(R"({{"gpu": {{"requiredTopologyScope": "{}"}}}})", name));
    }
    pod.text += annotations.empty() ? "" : ", annotations: {" + annotations + "}";
}

void ask_for_devices(Dice& dice, sim::Job& job, const sim::DevicePlugin& plugin) {
    job.demand.push_back(0);
    Amount& milli = job.demand.back();
    if (dice.chance(25)) {
        return;
    }
    core::PodDevices pod;
    const auto ask = [&](const char* resource, Amount amount) {
        pod.pod.requests[resource] = amount;
        pod.text += fmt::format("{}{}: {}", pod.text.empty() ? "" : ", ", resource, amount);
    };
    if (dice.chance(80)) {
        if (plugin.allocator == "first-fit" || dice.chance(60)) {
            const Amount count = dice.roll(1, 4);
            ask("nvidia.com/gpu", count);
            milli = 1000 * count;
        } else {
            const Amount part = one_of<Amount>(dice, {1, 25, 50, 75, 100, 200, 300});
            ask("koordinator.sh/gpu", part);
            milli = 10 * part;
        }
    }
    if (pod.text.empty() || dice.chance(60)) {
        ask("koordinator.sh/rdma", one_of<Amount>(dice, {1, 25, 50, 100, 200}));
    }
    add_hints(dice, pod, plugin.rules.exact);
    job.devices = std::make_shared<core::PodDevices>(std::move(pod));
}

}  // namespace

void allocate_devices(Dice& dice, PlainCase& of) {
    add_memory(dice, of);
    sim::DevicePlugin& plugin = of.settings.profile.inside.devices.emplace();
    plugin.allocator = dice.chance(25) ? "first-fit" : "device-allocator";
    plugin.rules.exact = plugin.allocator != "first-fit" && dice.chance(40);
    plugin.weight = plugin.allocator == "device-allocator" && dice.chance(25) ? 1 : 0;
    for (std::vector<Amount>& type : of.tree.types) {
        for (Amount& amount : type) {
            amount *= 3;  // makes devices the scarce resource
        }
        const Board board(dice);
        of.tree.gpus.push_back(board.devices(dice, "gpu", plugin.rules.exact ? 6 : 8));
        of.tree.nics.push_back(board.devices(dice, "rdma", 4));
        type.push_back(of.tree.gpus.back().count * 1000);
    }
    for (std::size_t server = 0; server < of.outside.size(); ++server) {
        const Amount most = of.tree.types[of.tree.type_of[server]].back();
        of.outside[server].push_back(dice.chance(80) ? 0 : dice.roll(0, most));
    }
    for (sim::Job& job : of.jobs) {
        ask_for_devices(dice, job, plugin);
    }
    limit_gpus(dice, of);
}

}  // namespace berth::tests

#include "tests/model/plain_devices.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace berth::tests {

using core::Amount;
using core::Members;

namespace {

constexpr Amount whole = 100;

void take_of(PlainMachine& machine, const PlainGrant& grant, Amount sign) {
    for (const PlainShare& share : grant) {
        machine.of(share.nic)[share.device].used += sign * share.amount;
    }
}

}  // namespace

PlainDevices::PlainDevices(const core::Topology& tree,
                           sim::DevicePlugin plugin,
                           const std::vector<Amount>& outside)
    : plugin_(std::move(plugin)) {
    for (std::uint32_t server = 0; server < tree.server_count(); ++server) {
        PlainMachine& machine = machines_.emplace_back();
        for (const core::DeviceGroup& group : tree.machine_type(core::ServerId{server}).devices) {
            for (std::size_t i = 0; i < static_cast<std::size_t>(group.count); ++i) {
                machine.of(group.kind == "rdma").push_back({{group.numa[i], group.pcie[i]}, 0});
            }
        }
        // What one pod would get that asks for this many GPUs; a part of a GPU counts as one.
        core::PodDevices pod;
        pod.pod.requests["nvidia.com/gpu"] =
            std::min<Amount>((outside[server] + 999) / 1000, std::ssize(machine.gpus));
        take(server, choose_devices(plugin_, pod, machine).value_or(PlainGrant()));
    }
}

PlainGrant PlainDevices::choose(const sim::Job& job, std::uint32_t server) const {
    return choose_devices(plugin_, *job.devices, machines_[server]).value_or(PlainGrant());
}

int PlainDevices::nearness(const sim::Job& job, std::uint32_t server) const {
    std::set<PlainSwitch> with_gpus;
    std::set<PlainSwitch> with_nics;
    std::set<std::int64_t> nodes;
    PlainMachine machine = machines_[server];
    for (const PlainShare& share : job.devices != nullptr ? choose(job, server) : PlainGrant()) {
        const PlainSwitch at = machine.of(share.nic)[share.device].at;
        (share.nic ? with_nics : with_gpus).insert(at);
        if (!share.nic) {
            nodes.insert(at.numa);
        }
    }
    const int scope = with_gpus.size() == 1 ? 2 : nodes.size() == 1 ? 1 : 0;
    const bool beside = !with_gpus.empty() && std::ranges::includes(with_nics, with_gpus);
    return 2 * scope + (beside ? 1 : 0);
}

Members PlainDevices::fit(const sim::Job& job, std::uint32_t server) const {
    if (job.devices == nullptr) {
        return std::numeric_limits<Members>::max();
    }
    Members pods = 0;
    PlainMachine machine = machines_[server];
    while (const auto grant = choose_devices(plugin_, *job.devices, machine)) {
        take_of(machine, *grant, 1);
        ++pods;
    }
    return pods;
}

bool PlainDevices::is_free(std::uint32_t server, const PlainGrant& grant) const {
    PlainMachine machine = machines_[server];
    return std::ranges::all_of(grant, [&](const PlainShare& share) {
        return machine.of(share.nic)[share.device].used + share.amount <= whole;
    });
}

void PlainDevices::add(std::uint32_t server, const PlainGrant& grant, Amount sign) {
    take_of(machines_[server], grant, sign);
}

void PlainDevices::take_what_is_left(std::uint32_t server, const PlainGrant& grant) {
    take(server, grant);
    for (const bool nics : {false, true}) {
        for (PlainDevice& device : machines_[server].of(nics)) {
            device.used = std::min(device.used, whole);
        }
    }
}

void PlainDevices::join(const PlainDevices& other) {
    for (std::size_t server = 0; server < machines_.size(); ++server) {
        PlainMachine theirs = other.machines_[server];
        for (const bool nics : {false, true}) {
            std::vector<PlainDevice>& ours = machines_[server].of(nics);
            for (std::size_t i = 0; i < ours.size(); ++i) {
                ours[i].used = std::max(ours[i].used, theirs.of(nics)[i].used);
            }
        }
    }
}

}  // namespace berth::tests

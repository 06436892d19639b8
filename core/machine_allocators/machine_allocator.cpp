#include "core/machine_allocators/machine_allocator.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <numeric>

#include "core/machine_views/device_places.hpp"
#include "core/support/assert.hpp"

namespace berth::core {
namespace {

using Domains = std::vector<DeviceMask>;

bool within_one(const Domains& domains, DeviceMask devices) {
    return std::ranges::any_of(domains,
                               [&](DeviceMask domain) { return (devices & ~domain) == 0; });
}

bool has_room(const Domains& domains, DeviceMask free, std::size_t count) {
    return std::ranges::any_of(domains, [&](DeviceMask domain) {
        return static_cast<std::size_t>(std::popcount(domain & free)) >= count;
    });
}

}  // namespace

MachineLayout::MachineLayout(const MachineType& type) {
    const auto places = device_places(type.devices);
    std::map<std::string, std::pair<DeviceMask, DeviceMask>> switches;  // GPUs and NICs
    std::map<std::int64_t, DeviceMask> numa;
    std::map<std::size_t, DeviceMask> islands;
    for (std::size_t group = 0; group < places.size(); ++group) {
        const bool is_gpu = type.devices[group].kind == "gpu";
        if (!is_gpu && type.devices[group].kind != "rdma") {
            continue;
        }
        std::size_t& count = is_gpu ? gpu_count_ : nic_count_;
        for (const DevicePlace& place : places[group]) {
            if (count == devices_of_type_max) {
                break;
            }
            const DeviceMask device = bit(count++);
            if (place.pcie) {
                auto& [gpus, nics] = switches[*place.pcie];
                (is_gpu ? gpus : nics) |= device;
            }
            if (is_gpu && place.numa) {
                numa[*place.numa] |= device;
            }
            if (is_gpu && place.island) {
                islands[*place.island] |= device;
            }
        }
    }
    for (const auto& [id, devices] : switches) {
        switches_.push_back(devices.first);
        nics_on_switch_.push_back(devices.second);
    }
    for (const auto& [node, gpus] : numa) {
        numa_.push_back(gpus);
    }
    for (const auto& [island, gpus] : islands) {
        islands_.push_back(gpus);
    }
}

Locality MachineLayout::locality(DeviceMask gpus, DeviceMask nics) const {
    bool beside = nics != 0;
    DeviceMask on_switches = 0;
    for (std::size_t i = 0; i < switches_.size(); ++i) {
        on_switches |= switches_[i];
        beside = beside && ((switches_[i] & gpus) == 0 || (nics_on_switch_[i] & nics) != 0);
    }
    return {within_one(switches_, gpus),
            within_one(islands_, gpus),
            within_one(numa_, gpus),
            beside && (gpus & ~on_switches) == 0};
}

Locality MachineLayout::attainable(DeviceMask free_gpus,
                                   DeviceMask free_nics,
                                   std::size_t gpu_count,
                                   std::size_t nic_count) const {
    // One NIC serves the GPUs of one switch, so the switches with the most free GPUs are counted.
    std::vector<std::size_t> beside_nic;
    for (std::size_t i = 0; i < switches_.size(); ++i) {
        if ((nics_on_switch_[i] & free_nics) != 0) {
            beside_nic.push_back(static_cast<std::size_t>(std::popcount(free_gpus & switches_[i])));
        }
    }
    std::ranges::sort(beside_nic, std::greater());
    beside_nic.resize(std::min(beside_nic.size(), nic_count));
    const bool nics_beside =
        nic_count > 0 &&
        std::accumulate(beside_nic.begin(), beside_nic.end(), std::size_t{0}) >= gpu_count;
    return {has_room(switches_, free_gpus, gpu_count),
            has_room(islands_, free_gpus, gpu_count),
            has_room(numa_, free_gpus, gpu_count),
            nics_beside};
}

std::size_t MachineLayout::whole_free(DeviceMask free_gpus) const {
    std::size_t count = 0;
    for (const DeviceMask domain : islands_.empty() ? numa_ : islands_) {
        count += (domain & ~free_gpus) == 0 ? static_cast<std::size_t>(std::popcount(domain)) : 0;
    }
    return count;
}

const MachineAnswer& MachineAllocator::ask(const PodDevices& pod,
                                           std::uint32_t number,
                                           MachineState state) {
    const std::uint64_t key = std::uint64_t{number} << 32 | state;
    if (last_ != nullptr && key == last_key_) {
        return *last_;
    }
    const MachineAnswer*& known = known_[key];
    if (known == nullptr) {
        MachineAnswer answer = decide(pod, state);
        BERTH_ASSERT(answer.score >= 0 && answer.score <= machine_score_max,
                     "a machine's score is as that of a scorer");
        BERTH_ASSERT(answer.fits || answer.after == state,
                     "a pod that does not fit changes nothing");
        if (answer.fits && answer.gpus != 0) {
            answer.reached = layout_.locality(answer.gpus, answer.nics);
            const auto gpus = static_cast<std::size_t>(std::popcount(answer.gpus));
            const auto nics = static_cast<std::size_t>(std::popcount(answer.nics));
            answer.possible = layout_.attainable(~DeviceMask{0}, ~DeviceMask{0}, gpus, nics);
            // What the pod itself got was free, even if others may share it.
            answer.attainable = layout_.attainable(
                ~gpus_in_use(state) | answer.gpus, ~nics_exhausted(state), gpus, nics);
        }
        known = &answers_.emplace_back(answer);
    }
    last_key_ = key;
    last_ = known;
    return *known;
}

const MachineAllocator::Free& MachineAllocator::free(MachineState state) {
    if (state >= free_.size()) {
        free_.resize(state + 1);
    }
    std::optional<Free>& known = free_[state];
    if (!known) {
        const std::size_t count = layout_.gpu_count();
        const DeviceMask all = count == devices_of_type_max ? ~DeviceMask{0} : bit(count) - 1;
        const DeviceMask gpus = all & ~gpus_in_use(state);
        known = Free{static_cast<std::size_t>(std::popcount(gpus)), layout_.whole_free(gpus)};
        BERTH_ASSERT(known->whole <= known->gpus, "a GPU of a whole island is free");
    }
    return *known;
}

#define BERTH_MACHINE_ALLOCATOR(function, name, summary)                                 \
    std::unique_ptr<MachineAllocator> make_##function##_machine(const MachineType& type, \
                                                                const MachineRules& rules);
#include "core/machine_allocators/machine_allocators.def"
#undef BERTH_MACHINE_ALLOCATOR

std::span<const MachineAllocatorEntry> machine_allocators() {
    static constexpr std::array table{
#define BERTH_MACHINE_ALLOCATOR(function, name, summary) \
    MachineAllocatorEntry{name, summary, &make_##function##_machine},
#include "core/machine_allocators/machine_allocators.def"
#undef BERTH_MACHINE_ALLOCATOR
    };
    return table;  // an allocator that is listed but not linked is a link error
}

}  // namespace berth::core

#include "core/device_allocator/device_locality.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "core/support/assert.hpp"

namespace berth::core {
namespace {

constexpr std::int16_t nowhere = DevicesOfType::nowhere;

/// Whether all chosen devices have the same known place.
bool is_common(const std::vector<std::int16_t>& place, DeviceMask chosen) {
    BERTH_ASSERT(chosen != 0, "there is a first device");
    const std::int16_t first = place[static_cast<std::size_t>(std::countr_zero(chosen))];
    bool common = first != nowhere;
    for_each_bit(chosen, [&](std::size_t d) { common = common && place[d] == first; });
    return common;
}

/// How many distinct places the devices have. Each device without a place counts by itself.
std::size_t distinct(const std::vector<std::int16_t>& place, DeviceMask chosen) {
    DeviceMask places = 0;
    std::size_t unplaced = 0;
    for_each_bit(chosen, [&](std::size_t d) {
        if (place[d] == nowhere) {
            ++unplaced;
        } else {
            places |= bit(static_cast<std::size_t>(place[d]));
        }
    });
    return unplaced + static_cast<std::size_t>(std::popcount(places));
}

}  // namespace

TopologyScope common_scope(const DevicesOfType& devices, DeviceMask chosen) {
    if (std::popcount(chosen) <= 1) {
        return TopologyScope::device;
    }
    if (is_common(devices.pcie, chosen)) {
        return TopologyScope::pcie;
    }
    return is_common(devices.numa, chosen) ? TopologyScope::numa_node : TopologyScope::machine;
}

bool meets_scope(const DevicesOfType& devices, DeviceMask chosen, TopologyScope required) {
    return required <= TopologyScope::machine || common_scope(devices, chosen) >= required;
}

DeviceMask mask_of(const DeviceGrants& grants) {
    DeviceMask mask = 0;
    for (const std::size_t device : grants.devices) {
        mask |= bit(device);
    }
    return mask;
}

DeviceLocality device_locality(const DeviceInventory& inventory,
                               const DeviceAllocation& allocation) {
    const DevicesOfType& gpus = inventory.of(DeviceType::gpu);
    const DevicesOfType& nics = inventory.of(DeviceType::rdma);
    const DeviceMask chosen = mask_of(allocation[DeviceType::gpu]);
    DeviceMask nic_switches = 0;
    for_each_bit(mask_of(allocation[DeviceType::rdma]), [&](std::size_t d) {
        nic_switches |= nics.pcie[d] == nowhere ? 0 : bit(static_cast<std::size_t>(nics.pcie[d]));
    });
    DeviceLocality out;
    out.gpu_count = static_cast<std::size_t>(std::popcount(chosen));
    if (out.gpu_count == 0) {
        return out;
    }
    out.gpu_scope = std::min(TopologyScope::pcie, common_scope(gpus, chosen));
    out.gpu_switch_count = distinct(gpus.pcie, chosen);
    out.gpu_numa_count = distinct(gpus.numa, chosen);
    DeviceMask beside = 0;
    for_each_bit(chosen, [&](std::size_t d) {
        const std::int16_t at = gpus.pcie[d];
        if (at != nowhere && (nic_switches >> at & 1) != 0) {
            beside |= bit(static_cast<std::size_t>(at));
        } else {
            out.every_gpu_has_nic_beside = false;
        }
    });
    out.switches_with_nic = static_cast<std::size_t>(std::popcount(beside));
    return out;
}

}  // namespace berth::core

#include "core/device_allocator/device_state.hpp"

#include <algorithm>
#include <functional>

#include "core/support/assert.hpp"

namespace berth::core {
namespace {

/// Calls `visit(at, amount)` for each amount of the grants, and `function(slot)` for each virtual
/// function.
template <class Visit, class Function>
void visit_grants(const DevicesOfType& type,
                  const DeviceGrants& grants,
                  Visit visit,
                  Function function) {
    const std::size_t width = type.resources.size();
    BERTH_ASSERT(grants.amounts.size() == grants.devices.size() * width,
                 "a grant has an amount for each device and resource");
    BERTH_ASSERT(grants.vfs.empty() || grants.vfs.size() == grants.devices.size(),
                 "a grant has a function for each device, or none");
    for (std::size_t pick = 0; pick < grants.devices.size(); ++pick) {
        const std::size_t d = grants.devices[pick];
        BERTH_ASSERT(d < type.size(), "a device that is granted is the machine's");
        for (std::size_t r = 0; r < width; ++r) {
            const Amount amount = grants.amounts[pick * width + r];
            if (amount > 0) {
                visit(type.first_used + d * width + r, amount);
            }
        }
        if (!grants.vfs.empty() && grants.vfs[pick] != DeviceGrants::no_vf) {
            function(type.functions[d][static_cast<std::size_t>(grants.vfs[pick])].slot);
        }
    }
}

}  // namespace

DeviceState::DeviceState(const DeviceInventory& inventory)
    : used_(inventory.amount_count()), vfs_((inventory.vf_slot_count() + 63) / 64) {}

void DeviceState::take(const DeviceInventory& inventory, const DeviceAllocation& allocation) {
    for (const DeviceType type : device_request_order) {
        const DeviceGrants& grants = allocation[type];
        BERTH_ASSERT((closed_[type] & grants.closed) == 0, "a device is closed for one pod");
        closed_[type] |= grants.closed;
        visit_grants(
            inventory.of(type),
            grants,
            [&](std::size_t at, Amount amount) { used_[at] += amount; },
            [&](std::size_t slot) {
                BERTH_ASSERT(!is_vf_taken(slot), "a virtual function serves one pod");
                vfs_[slot / 64] |= bit(slot % 64);
            });
    }
}

bool DeviceState::has_free(const DeviceInventory& inventory,
                           const DeviceAllocation& allocation) const {
    bool free = true;
    for (const DeviceType type : device_request_order) {
        const DevicesOfType& of = inventory.of(type);
        const DeviceGrants& grants = allocation[type];
        for (const std::size_t device : grants.devices) {
            free = free && (closed_[type] & bit(device)) == 0;
        }
        for_each_bit(grants.closed, [&](std::size_t device) {
            free = free && !is_in_use(inventory, type, device);
        });
        visit_grants(
            of,
            grants,
            [&](std::size_t at, Amount amount) {
                free = free && used_[at] + amount <= of.total[at - of.first_used];
            },
            [&](std::size_t slot) { free = free && !is_vf_taken(slot); });
    }
    return free;
}

void DeviceState::take_what_is_free(const DeviceInventory& inventory,
                                    const DeviceAllocation& allocation) {
    for (const DeviceType type : device_request_order) {
        const DevicesOfType& of = inventory.of(type);
        closed_[type] |= allocation[type].closed;
        visit_grants(
            of,
            allocation[type],
            [&](std::size_t at, Amount amount) {
                const Amount total = of.total[at - of.first_used];
                used_[at] = std::max(used_[at], std::min(used_[at] + amount, total));
            },
            [&](std::size_t slot) { vfs_[slot / 64] |= bit(slot % 64); });
    }
}

void DeviceState::take_either(const DeviceState& other) {
    std::ranges::transform(used_, other.used_, used_.begin(), std::ranges::max);
    std::ranges::transform(vfs_, other.vfs_, vfs_.begin(), std::bit_or());
    for (const DeviceType type : device_request_order) {
        closed_[type] |= other.closed_[type];
    }
}

void DeviceState::give_back(const DeviceInventory& inventory, const DeviceAllocation& allocation) {
    for (const DeviceType type : device_request_order) {
        const DeviceGrants& grants = allocation[type];
        BERTH_ASSERT((closed_[type] & grants.closed) == grants.closed, "closed by this pod");
        closed_[type] &= ~grants.closed;
        visit_grants(
            inventory.of(type),
            grants,
            [&](std::size_t at, Amount amount) {
                BERTH_ASSERT(used_[at] >= amount, "no more comes back than was taken");
                used_[at] -= amount;
            },
            [&](std::size_t slot) {
                BERTH_ASSERT(is_vf_taken(slot), "only what was taken comes back");
                vfs_[slot / 64] &= ~bit(slot % 64);
            });
    }
}

bool DeviceState::is_in_use(const DeviceInventory& inventory,
                            DeviceType type,
                            std::size_t device) const {
    const DevicesOfType& of = inventory.of(type);
    const std::size_t width = of.resources.size();
    if ((closed_[type] & bit(device)) != 0) {
        return true;
    }
    for (std::size_t r = 0; r < width; ++r) {
        if (used_[of.first_used + device * width + r] > 0) {
            return true;
        }
    }
    for (const VfEntry& entry : of.functions[device]) {
        if (is_vf_taken(entry.slot)) {
            return true;
        }
    }
    return false;
}

std::uint64_t DeviceState::hash() const {
    std::uint64_t hash = 0x9e3779b97f4a7c15U;
    const auto fold = [&](std::uint64_t word) {
        hash = (hash ^ word) * 0xff51afd7ed558ccdU;
        hash ^= hash >> 32;
    };
    for (const Amount amount : used_) {
        fold(static_cast<std::uint64_t>(amount));
    }
    for (const std::uint64_t word : vfs_) {
        fold(word);
    }
    for (const DeviceMask mask : closed_.values) {
        fold(mask);
    }
    return hash;
}

}  // namespace berth::core

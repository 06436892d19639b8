#pragma once

#include <optional>
#include <vector>

#include "core/device_allocator/device_inventory.hpp"

namespace berth::core {

/// The devices of one type that a pod was given, in the order in which they were picked.
struct DeviceGrants {
    static constexpr Amount absent = -1;  ///< Stands for a resource that the grant does not name.
    static constexpr std::int32_t no_vf = -1;

    std::vector<std::uint8_t> devices;
    std::vector<Amount> amounts;    ///< [pick * resources of the type + r]
    std::vector<std::int32_t> vfs;  ///< An entry of the device's list of functions; empty: none.
    /// Devices that no other pod may use while this pod is there.
    DeviceMask closed = 0;

    friend bool operator==(const DeviceGrants&, const DeviceGrants&) = default;
};

using DeviceAllocation = ByDeviceType<DeviceGrants>;

/// What is taken of one server's devices. It is a value: equal states are offered equal devices, so
/// that answers can be memoised by (inventory, state).
class DeviceState {
public:
    explicit DeviceState(const DeviceInventory& inventory);

    /// Takes what `allocation` names, whether or not it fits: a device may have shrunk since.
    /// Errors: taking a virtual function that is taken, or a device that is closed, aborts.
    void take(const DeviceInventory& inventory, const DeviceAllocation& allocation);
    /// The exact inverse of take().
    void give_back(const DeviceInventory& inventory, const DeviceAllocation& allocation);

    /// Whether everything that `allocation` names can be taken.
    [[nodiscard]] bool has_free(const DeviceInventory& inventory,
                                const DeviceAllocation& allocation) const;
    /// Takes as much of `allocation` as is free, and no more of an amount than the device has. What
    /// is already closed or taken stays so.
    void take_what_is_free(const DeviceInventory& inventory, const DeviceAllocation& allocation);
    /// Also takes all that is taken in the other state: of each amount, the larger of the two.
    void take_either(const DeviceState& other);

    /// `at`: DevicesOfType::first_used + d * resources + r.
    [[nodiscard]] Amount used(std::size_t at) const { return used_[at]; }
    [[nodiscard]] bool is_vf_taken(std::size_t slot) const {
        return (vfs_[slot / 64] & bit(slot % 64)) != 0;
    }
    [[nodiscard]] DeviceMask closed(DeviceType type) const { return closed_[type]; }

    /// Whether the device is in use at all: an amount or a virtual function of it is taken, or it
    /// is closed.
    [[nodiscard]] bool is_in_use(const DeviceInventory& inventory,
                                 DeviceType type,
                                 std::size_t device) const;

    [[nodiscard]] std::uint64_t hash() const;
    friend bool operator==(const DeviceState&, const DeviceState&) = default;

private:
    std::vector<Amount> used_;
    std::vector<std::uint64_t> vfs_;  ///< A bit for each slot.
    ByDeviceType<DeviceMask> closed_;
};

}  // namespace berth::core

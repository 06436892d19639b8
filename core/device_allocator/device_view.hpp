#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <variant>

#include "core/device_allocator/device_plan.hpp"
#include "core/device_allocator/device_state.hpp"

namespace berth::core {

/// Why a step finds nothing.
struct DeviceFailure {
    std::string_view message;  ///< A text with static lifetime.
    bool resolvable = true;
};

/// The devices of one type that were picked, in the order in which they were picked.
class DevicePicks {
public:
    void add(std::size_t device) { devices_[count_++] = static_cast<std::uint8_t>(device); }
    [[nodiscard]] std::size_t size() const { return count_; }
    [[nodiscard]] const std::uint8_t* begin() const { return devices_.data(); }
    [[nodiscard]] const std::uint8_t* end() const { return devices_.data() + count_; }
    [[nodiscard]] DeviceMask mask() const;
    /// The devices of a mask, in ascending order of minors.
    [[nodiscard]] static DevicePicks of(DeviceMask mask);

    /// Each device comes with a virtual function if the pod wants them.
    bool with_functions = false;

private:
    std::array<std::uint8_t, devices_of_type_max> devices_{};
    std::size_t count_ = 0;
};

using DeviceChoice = std::variant<DevicePicks, DeviceFailure>;

/// One type of a machine in one state, seen by one request.
struct TypeView {
    /// The devices that the selector chooses; none if the machine has nothing left.
    DeviceMask kept = 0;
    DeviceMask has_free = 0;  ///< The devices that have anything left at all.
    DeviceMask fits = 0;      ///< The kept devices that have enough left for the request.
    DeviceMask in_use = 0;
};

/// One decision to make: a request, a machine type, a state, the rules, and whether devices are
/// scored.
class DeviceQuestion {
public:
    DeviceQuestion(const DeviceInventory& inventory,
                   const DevicePlan& plan,
                   const DeviceState& state,
                   const DeviceRules& rules,
                   bool is_scored);

    const DeviceInventory& inventory;
    const DevicePlan& plan;
    const DeviceState& state;
    const DeviceRules& rules;
    bool is_scored = false;
    ByDeviceType<TypeView> views;

    [[nodiscard]] Amount total(DeviceType type, std::size_t device, std::size_t resource) const;
    [[nodiscard]] Amount free(DeviceType type, std::size_t device, std::size_t resource) const;

    /// The score of one device; 0 without a scorer.
    [[nodiscard]] Amount score(DeviceType type, std::size_t device) const;
    /// The same score with total and free exchanged.
    [[nodiscard]] Amount swapped_score(DeviceType type, std::size_t device) const;
    /// The score of all kept devices together, for the request of one device.
    [[nodiscard]] Amount score_of_all(DeviceType type) const;

    /// The devices that can be picked: they fit, have anything left, and have a function if one is
    /// wanted.
    [[nodiscard]] DeviceMask usable(DeviceType type) const;

    /// The first free function, by bus id, of the device that the pod may have.
    [[nodiscard]] std::optional<std::size_t> free_function(DeviceType type,
                                                           std::size_t device) const;

    /// The switch of a device in the sense of joint allocation, or nowhere.
    [[nodiscard]] std::int16_t switch_of(DeviceType type, std::size_t device) const;
    [[nodiscard]] DeviceMask switches_of(DeviceType type, DeviceMask devices) const;
    [[nodiscard]] DeviceMask numa_nodes_of(DeviceType type, DeviceMask devices) const;
    [[nodiscard]] DeviceMask on_switches(DeviceType type,
                                         DeviceMask devices,
                                         DeviceMask switches) const;
    [[nodiscard]] DeviceMask on_numa_nodes(DeviceType type,
                                           DeviceMask devices,
                                           DeviceMask numa_nodes) const;

private:
    void look_at(DeviceType type);
    [[nodiscard]] bool fits(DeviceType type, std::size_t device) const;
    [[nodiscard]] DeviceMask closed(DeviceType type) const;
    [[nodiscard]] DeviceMask excluded(DeviceType type) const;
};

[[nodiscard]] DeviceFailure insufficient_devices(DeviceType type, bool resolvable = true);
[[nodiscard]] DeviceFailure insufficient_functions(DeviceType type);

}  // namespace berth::core

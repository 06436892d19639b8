#pragma once

#include <array>
#include <optional>

#include "core/device_allocator/default_order.hpp"
#include "core/device_allocator/device_decision.hpp"

namespace berth::core {

/// What joint allocation chose, by type; nothing for a type that it leaves alone.
using JointChoice = ByDeviceType<std::optional<DevicePicks>>;

/// Chooses the primary type's devices, then each secondary's near to them.
///
/// Returns: a failure when a type does not get its devices, or SamePCIe is required and the
///          switches of the types differ.
[[nodiscard]] std::variant<JointChoice, DeviceFailure> choose_jointly(
    const DeviceQuestion& question, DeviceSolver solver);

/// One type for itself.
[[nodiscard]] DeviceChoice choose_alone(const DeviceQuestion& question,
                                        DeviceSolver solver,
                                        DeviceType type);

}  // namespace berth::core

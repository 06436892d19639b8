#pragma once

#include <optional>

#include "schedulers/kube/decide/device_objects.hpp"

namespace berth::core::kube {

/// How much of a capacity a request takes, which may ask for nothing in particular.
/// Source: k8s.io/dynamic-resource-allocation, structured/internal/incubating,
///         consumable_capacity.go.
[[nodiscard]] Quantity consumed_of(const Capacity& capacity,
                                   const std::optional<Quantity>& request);

/// Whether the policy of a capacity forbids to take so much of it.
[[nodiscard]] bool violates_policy(const Capacity& capacity, Quantity consumed);

/// What the request takes of each capacity of the device.
[[nodiscard]] Quantities consumed_of(const Device& device,
                                     const std::optional<Quantities>& requests);

/// Whether a device has all capacities that are asked for, and enough of each beside what is taken
/// of it already.
[[nodiscard]] bool fits_capacity(const Device& device,
                                 const std::optional<Quantities>& requests,
                                 const Quantities& allocated,
                                 const Quantities& taken);

}  // namespace berth::core::kube

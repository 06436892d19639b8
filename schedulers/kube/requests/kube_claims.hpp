#pragma once

#include <memory>

#include "experiments/program/support/parsed_json.hpp"
#include "experiments/program/support/request_field.hpp"
#include "schedulers/kube/decide/device_claims.hpp"

namespace berth::experiments {

/// Reads the devices of a request for cycles, and the claims for them: `classes`, `slices`,
/// `resourceClaims` and `resourceClaimTemplates`.
/// Returns: nullptr if it has none of these. Errors: RequestError.
[[nodiscard]] std::shared_ptr<const core::kube::DeviceInventory> read_inventory(
    const RequestField& request);

/// Reads a pod with its claims; `has_devices`: whether the request has objects for them.
/// Errors: RequestError.
[[nodiscard]] core::kube::Pod read_claiming_pod(const RequestField& field, bool has_devices);

/// The devices that each claim of a pod holds, by the pod's name of the claim.
[[nodiscard]] Json devices_of(const core::kube::Pod& pod, const core::kube::DeviceClaims& claims);

}  // namespace berth::experiments

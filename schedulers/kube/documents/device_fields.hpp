#pragma once

#include <cstddef>
#include <vector>

#include "experiments/program/support/request_field.hpp"
#include "schedulers/kube/decide/device_objects.hpp"

// Objects of dynamic resource allocation, as resource.k8s.io/v1 writes them. Errors of all
// functions: RequestError.

namespace berth::experiments {

/// Reads at most as many entries as Kubernetes accepts.
[[nodiscard]] std::vector<RequestField> items_up_to(const RequestField& list, std::size_t most);

[[nodiscard]] core::kube::DeviceClass read_device_class(const RequestField& field);
/// Reads a ResourceClaim, or the claim that a ResourceClaimTemplate describes.
[[nodiscard]] core::kube::ResourceClaim read_resource_claim(const RequestField& metadata,
                                                            const RequestField& spec);
[[nodiscard]] core::kube::ResourceSlice read_resource_slice(const RequestField& field);

}  // namespace berth::experiments

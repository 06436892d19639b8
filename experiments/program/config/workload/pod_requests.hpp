#pragma once

#include "core/support/value.hpp"
#include "core/tree/resources.hpp"

namespace berth::experiments {

/// What a Pod object asks for, as a cluster's scheduler counts it: its containers together, or more
/// if its init containers need more on their way, and its overhead; what the pod states as a whole
/// stands in the place of its containers'.
///
/// Units:  exact quantities, by resource.
/// Errors: recorded at their places.
/// Source: k8s.io/component-helpers/resource, PodRequests().
[[nodiscard]] core::Quantities pod_requests(const core::Value& pod, core::Diagnostics& diagnostics);

/// What lies at `keys`, one below the other, or nullptr.
[[nodiscard]] const core::Value* value_below(const core::Value& value,
                                             std::initializer_list<std::string_view> keys);

}  // namespace berth::experiments

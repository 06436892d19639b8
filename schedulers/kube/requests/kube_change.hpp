#pragma once

#include "experiments/program/support/json_fields.hpp"
#include "schedulers/kube/decide/smallest_change.hpp"

namespace berth::experiments {

/// Adds the change that would help a pending pod: `change`, the objects that it concerns with
/// their patches, and how many changes were tried.
void add_change(const core::kube::ChangeSearch& search, const core::kube::Pod& pod, Json& answer);

}  // namespace berth::experiments

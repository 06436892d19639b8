#pragma once

#include "core/support/value.hpp"
#include "schedulers/kube/documents/known_keys.hpp"

namespace berth::experiments {

/// Checks what a pod says about other pods and prefers of nodes, as an API server does that
/// validates strictly: unknown and missing keys, and values that exclude each other. What it
/// requires of nodes is checked by core::read_node_rules().
/// Returns: whether it is sound. Errors: recorded.
[[nodiscard]] bool check_pod_keys(const core::Value& pod, core::Diagnostics& diagnostics);

/// Checks a selector of labels, if there is one.
void check_selector_keys(const core::Value* selector, core::Diagnostics& diagnostics);

/// Checks constraints on how pods spread. Errors: recorded.
void check_spread_keys(const core::Value& list, core::Diagnostics& diagnostics);

/// The keys of `nodeAffinity`.
[[nodiscard]] const KnownKeys& keys_of_node_affinity();

}  // namespace berth::experiments

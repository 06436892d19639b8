#pragma once

#include "core/node_rules/node_affinity.hpp"
#include "core/support/value.hpp"

namespace berth::core {

/// Reads what the spec of a pod says about nodes: `nodeSelector`, required node affinity, and
/// `tolerations`. Other keys of the spec are not looked at, and fields of affinity that Kubernetes
/// has beside these may be there.
/// Errors: what an API server refuses is recorded at its place. What an API server accepts but
///         kube-scheduler does not is a term that never matches, and is left out.
[[nodiscard]] PodNodeRules read_node_rules(const Value& spec, Diagnostics& diagnostics);

/// Read a toleration and a taint. Errors: recorded.
[[nodiscard]] Toleration read_toleration(const Value& value, Diagnostics& diagnostics);
[[nodiscard]] Taint read_taint(const Value& value, Diagnostics& diagnostics);

}  // namespace berth::core

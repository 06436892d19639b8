#pragma once

#include "schedulers/kube/decide/objects.hpp"

namespace berth::core::kube {

/// Whether a node has the labels of the pod's `nodeSelector`, and matches its required affinity.
[[nodiscard]] bool matches_node_rules(const Pod& pod, const Node& node);

/// Whether a node has a taint that keeps the pod away.
[[nodiscard]] bool has_untolerated_taint(const Pod& pod, const Node& node);

}  // namespace berth::core::kube

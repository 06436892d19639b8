#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/tree/topology.hpp"

namespace berth::core {

/// The label that each node of Kubernetes has to itself.
inline constexpr std::string_view hostname_label = "kubernetes.io/hostname";

/// The level of a cluster that a label of nodes stands for: the one that `given` names for it, the
/// servers for `kubernetes.io/hostname`, or else the one in whose name the label ends, with or
/// without `topology-` before it: `cloud.example.com/topology-rack` stands for `rack`. Nothing: it
/// stands for none.
[[nodiscard]] std::optional<Level> level_of_label(std::string_view label,
                                                  const Topology& tree,
                                                  const std::map<std::string, std::string>& given);

}  // namespace berth::core

#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/tree/topology.hpp"

namespace berth::core {

/// The label whose value is unique to each Kubernetes node.
inline constexpr std::string_view hostname_label = "kubernetes.io/hostname";

/// The level of a cluster that a node label stands for: the level that `given` names for it, the
/// servers for `kubernetes.io/hostname`, or else the level with whose name the label ends, with or
/// without `topology-` before it: `cloud.example.com/topology-rack` stands for `rack`. Nothing if
/// it stands for no level.
[[nodiscard]] std::optional<Level> level_of_label(std::string_view label,
                                                  const Topology& tree,
                                                  const std::map<std::string, std::string>& given);

}  // namespace berth::core

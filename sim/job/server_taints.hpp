#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/node_rules/node_affinity.hpp"

namespace berth::sim {

/// The taints of servers. Many servers have the same list of taints, which is stored once.
struct ServerTaints {
    std::vector<std::vector<core::Taint>> lists;
    std::vector<std::uint32_t> of;  ///< For each server, the index of its list.

    /// For each server, whether it has a taint that none of these tolerates. Empty: no server has.
    [[nodiscard]] std::vector<bool> untolerated(
        std::span<const core::Toleration> tolerations) const;
};

}  // namespace berth::sim

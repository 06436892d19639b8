#include "sim/job/server_taints.hpp"

#include <algorithm>

namespace berth::sim {

std::vector<bool> ServerTaints::untolerated(std::span<const core::Toleration> tolerations) const {
    std::vector<bool> repels;
    for (const std::vector<core::Taint>& taints : lists) {
        repels.push_back(core::find_untolerated(taints, tolerations, core::TaintOf::node) !=
                         nullptr);
    }
    if (std::ranges::none_of(repels, [](bool one) { return one; })) {
        return {};
    }
    std::vector<bool> servers;
    servers.reserve(of.size());
    for (const std::uint32_t list : of) {
        servers.push_back(repels[list]);
    }
    return servers;
}

}  // namespace berth::sim

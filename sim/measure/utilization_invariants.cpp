#include <fmt/format.h>

#include <algorithm>

#include "sim/measure/utilization.hpp"

namespace berth::sim {

using core::Amount;
using core::NodeId;
using core::Violation;

std::optional<Violation> Utilization::find_violation() const {
    const auto wrong = [&](const char* invariant, NodeId node, std::size_t r, Amount a, Amount b) {
        return Violation{invariant,
                         fmt::format("{}, {}", tree_.path(node), tree_.resources().name(r)),
                         fmt::format("{}", a),
                         fmt::format("{}", b)};
    };
    const std::uint32_t inner = tree_.node_count() - tree_.server_count();
    for (std::uint32_t index = 0; index < inner; ++index) {
        const NodeId node{index};
        for (std::size_t r = 0; r < resources_; ++r) {
            const Amount found = loads_[entry(node, r)].amount;
            if (found != allocated_of(node, r)) {
                return wrong("what is measured on a node is what is in use there",
                             node,
                             r,
                             found,
                             allocated_of(node, r));
            }
        }
    }
    const Utilization fresh(ledger_, window_, cluster_);
    for (std::size_t r = 0; r < resources_; ++r) {
        if (stranded_[r] != fresh.stranded_[r]) {
            return wrong("what is stranded on all servers is summed up",
                         tree_.root(),
                         r,
                         stranded_[r],
                         fresh.stranded_[r]);
        }
    }
    return std::nullopt;
}

}  // namespace berth::sim

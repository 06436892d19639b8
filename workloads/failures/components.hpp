#pragma once

#include <cstdint>
#include <vector>

#include "core/tree/topology.hpp"
#include "sim/clock/random.hpp"
#include "workloads/failures/failure_model.hpp"

namespace berth::workloads {

/// What fails, and with what random numbers.
struct Component {
    sim::RandomSeries series;
    core::NodeId node;
    std::uint32_t cause = 0;
    std::int32_t device = -1;    ///< Its number in the server; -1: the node itself.
    std::uint32_t failures = 0;  ///< So far.
    bool lemon = false;
};

/// Every component of every cause, in the order of the causes, then of the tree.
[[nodiscard]] std::vector<Component> components_of(const FailureModel& model,
                                                   const core::Topology& tree,
                                                   std::uint64_t seed);

}  // namespace berth::workloads

#pragma once

#include <cstdint>
#include <vector>

#include "core/index/num_fit.hpp"
#include "core/index/scorer.hpp"
#include "sim/cluster/inside/plugins.hpp"
#include "sim/queue/queue_policy.hpp"

namespace berth::sim {

enum class Solver : std::uint8_t { greedy, exact };

/// The plug-ins that a profile chooses at the points of Kubernetes' scheduling framework.
struct Profile {
    QueuePolicy queue;                               ///< queueSort; by default fifo.
    Solver solver = Solver::greedy;                  ///< placementGroup
    core::NumFit num_fit = core::NumFit::aggregate;  ///< placementGroup
    std::vector<core::WeightedScorer> score;         ///< score, for single pods; empty with a GPU
                                                     ///< policy.
    InsidePlugins inside;                            ///< filter and reserve, inside servers.
};

}  // namespace berth::sim

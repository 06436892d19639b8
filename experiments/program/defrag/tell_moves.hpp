#pragma once

#include <cstddef>

#include "experiments/program/defrag/defrag.hpp"
#include "sim/defrag/cluster_moves.hpp"
#include "sim/scheduler/scheduler.hpp"

namespace berth::experiments {

/// Says what the plan of an answer does, in the words of the cluster: its moves, what they lose,
/// where there is room then, and what is on the servers that it is about.
///
/// `moves`: the problem with its goal, and its pods. `resource`: the number of the resource that is
/// counted.
void tell_moves(const sim::ClusterMoves& moves,
                const sim::Actions& actions,
                std::size_t resource,
                DefragAnswer& answer);

}  // namespace berth::experiments

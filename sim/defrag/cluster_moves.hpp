#pragma once

#include <cstdint>
#include <vector>

#include "core/defrag/move_problem.hpp"
#include "sim/profile/settings.hpp"
#include "sim/scheduler/scheduler.hpp"

namespace berth::sim {

/// A running member of a job, which may be moved.
struct RunningMember {
    JobId job;
    core::Members number = 0;  ///< Its number in the job.
};

/// The state of a run as a problem of moves. The pods of the problem are `members`, in the same
/// order; servers have the numbers of the topology.
struct ClusterMoves {
    core::MoveProblem problem;
    std::vector<RunningMember> members;
};

/// What runs now, and what is free, as a problem without a goal. Moves of a job cost the work that
/// it would lose in an eviction, and its restart, in milliseconds of GPUs (of CPUs, in a cluster
/// without GPUs).
///
/// Order:  pods are in the order of their jobs' arrival, then of their stints.
/// Limits: a pod does not move if it is not preemptible, asks for single devices or providers, has
///         a limit of its application's pods on a server, or belongs to a group that is spread. A
///         group that packs at a level stays below the node of that level where the pod is. A
///         server that is away, drained or kept as a spare takes no pods.
/// Cost:   O(servers x kinds of node selectors + pods).
[[nodiscard]] ClusterMoves cluster_moves(const Actions& actions, const Settings& settings);

/// A goal that asks for pods like those of a job: their shape, and where they may run. A group that
/// packs hard at a level must fit below one node of it.
[[nodiscard]] core::RoomGoal room_for(const Job& job,
                                      const Actions& actions,
                                      const Settings& settings);

/// A goal that asks for domains, the nodes of a level, in which nothing of the GPUs is in use.
/// Servers without GPUs count for nothing; without any GPUs in the cluster, its CPUs count.
[[nodiscard]] core::RoomGoal whole_domains(core::Level level,
                                           std::int64_t count,
                                           const core::Ledger& ledger);

/// A goal that asks for room for as many pods of `gpus` GPUs as possible, wherever the GPUs are.
[[nodiscard]] core::RoomGoal pods_of_gpus(std::int64_t gpus,
                                          const core::Ledger& ledger,
                                          bool shared);

}  // namespace berth::sim

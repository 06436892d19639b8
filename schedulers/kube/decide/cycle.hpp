#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "schedulers/kube/decide/filters.hpp"
#include "schedulers/kube/decide/scores.hpp"

namespace berth::core::kube {

/// Why no node is feasible, or why some are not.
struct Diagnosis {
    std::map<std::string, Verdict> verdicts;  ///< Of the nodes that were filtered and rejected.
    Verdict otherwise;                        ///< The verdict of all other nodes.
    std::string prefilter;                    ///< What PreFilter said if it rejected all nodes.
    std::set<std::string_view> plugins;       ///< Those that rejected a node.

    [[nodiscard]] const Verdict& of(const std::string& node) const;
};

/// The nodes on which a pod may run.
struct Feasible {
    std::vector<std::size_t> nodes;  ///< Positions in the cluster, in the order of the search.
    Diagnosis diagnosis;
    PreFilter prefilter;
};

/// Looks for feasible nodes, as many as kube-scheduler looks for, from `cluster.next_start` on,
/// and moves that on. There is at least one node.
///
/// Cost:   one filter for each node that is visited, and one look at each node for each term of
///         affinity and each constraint of the pod.
/// Source: Kubernetes, pkg/scheduler/schedule_one.go, with parallelism 1.
[[nodiscard]] Feasible find_feasible(const Pod& pod, Cluster& cluster);

/// The node that kube-scheduler takes of several with these total scores: the root of a binary heap
/// made of them.
[[nodiscard]] std::size_t choose(const std::vector<std::int64_t>& totals);

/// The message that no node is feasible, and what was tried then.
[[nodiscard]] std::string fit_error(std::size_t nodes,
                                    const Diagnosis& diagnosis,
                                    std::string_view afterwards = {});

}  // namespace berth::core::kube

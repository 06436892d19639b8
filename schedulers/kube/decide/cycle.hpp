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
    /// The verdicts of the nodes that a filter rejected, by name, and that of all other nodes.
    std::map<std::string, Verdict> verdicts;
    Verdict otherwise;
    /// If PreFilter rejected all nodes, this is its reason.
    std::string prefilter;
    /// These plugins rejected a node.
    std::set<std::string_view> plugins;

    [[nodiscard]] const Verdict& of(const std::string& node) const;
};

/// The nodes on which a pod may run.
struct Feasible {
    /// Positions in the cluster. They are in the order in which the search found them.
    std::vector<std::size_t> nodes;
    Diagnosis diagnosis;
    PreFilter prefilter;
};

/// How many feasible nodes of this many nodes are enough; 0 percent leaves it to the number.
[[nodiscard]] std::size_t nodes_to_find(std::size_t nodes, std::int64_t percentage);

/// Positions of nodes in a cluster, in ascending order, to which a search is limited. nullptr: it
/// is not limited.
using Among = const std::vector<std::size_t>*;

/// Looks for feasible nodes, as many as kube-scheduler looks for, from `cluster.next_start` on,
/// and moves that on. There is at least one node. With `among`, the other nodes are looked at by
/// PreFilter alone.
///
/// Cost:   one filter for each node that is visited, and one look at each node for each term of
///         affinity and each constraint of the pod.
/// Errors: CycleError if devices cannot be searched.
/// Source: Kubernetes, pkg/scheduler/schedule_one.go, with parallelism 1.
[[nodiscard]] Feasible find_feasible(const Pod& pod, Cluster& cluster, Among among = nullptr);

/// The index of the node that kube-scheduler takes of several with these total scores: the root of
/// a binary heap made of them.
[[nodiscard]] std::size_t choose(const std::vector<std::int64_t>& totals);

/// The position of the feasible node that kube-scheduler takes. There is at least one.
/// Errors: CycleError.
[[nodiscard]] std::size_t choose_node(const Pod& pod, Cluster& cluster, const Feasible& found);

/// The node of a pod, how many feasible nodes were found, and how many were looked at for that.
struct Choice {
    std::size_t node = 0;  ///< A position in the cluster.
    std::size_t feasible = 0;
    std::size_t evaluated = 0;
};

/// The message that no node is feasible, and what was tried then.
[[nodiscard]] std::string fit_error(std::size_t nodes,
                                    const Diagnosis& diagnosis,
                                    std::string_view afterwards = {});

}  // namespace berth::core::kube

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "schedulers/kube/decide/decider.hpp"
#include "schedulers/kube/decide/preemption.hpp"

// The cycle of a PodGroup with the policy `gang`: its pods start together, or none of them does.
// Source: Kubernetes 1.36, pkg/scheduler/schedule_one_podgroup.go and plugins/gangscheduling.

namespace berth::core::kube {

/// A pod that waits with others of its group.
struct GangPod {
    Pod pod;
    std::size_t kind = 0;  ///< Pods of one kind differ in nothing but their names.
};

/// Whether pods of a gang preempt, when no node is feasible for one of them.
enum class GangPreemption : std::uint8_t {
    by_each_pod,  ///< Each of them preempts for itself.
    as_a_whole,   ///< None of them does: others are preempted for the whole gang afterwards.
    none,         ///< Nobody is preempted, as for all gangs whose pods are to be in one domain.
};

struct Gang {
    std::vector<GangPod> pods;  ///< They are tried in this order.
    std::size_t placed = 0;     ///< So many pods of the group have nodes already.
    std::size_t min_count = 1;
    /// All pods of the group are to be on nodes with one value of this label; empty: anywhere.
    std::string topology_key;
    /// With a key: the positions of the nodes on which pods of the group are already.
    std::vector<std::size_t> nodes_of_placed;
    GangPreemption preemption = GangPreemption::by_each_pod;
};

/// What the cycle found for one pod.
struct GangMember {
    /// A position in the cluster: the pod's node in the snapshot. Others still run there if
    /// `preempts` is set.
    std::optional<std::size_t> node;
    std::optional<PreemptionCandidate> preempts;
    /// Why it does not start: in kube-scheduler's words, empty if it does.
    std::string message;
    std::set<std::string_view> rejected_by;
    std::optional<PodClaim> deallocates;  ///< Nobody uses this claim, which loses its devices.
    bool keeps_nomination = false;  ///< It may not preempt, and keeps the node for which it waits.
    bool is_tried = true;
};

struct GangCycle {
    enum class Outcome : std::uint8_t {
        placed,                ///< The pods that have a node start there.
        waits_for_preemption,  ///< All go back, and wait for the nodes that they found.
        unschedulable,         ///< All go back. Those that were to be preempted stop all the same.
        failed,                ///< The cycle of one pod failed, and with it that of the group.
    };
    Outcome outcome = Outcome::unschedulable;
    std::string message;  ///< What is said of the group if it does not start.
    /// For each pod, in their order. If the cycle failed, or Kubernetes 1.37 saw that too few pods
    /// are left, the last ones were not tried.
    std::vector<GangMember> members;
    /// These are preempted for the whole gang: see preempt_for_gang().
    std::vector<const CountedPod*> victims;
};

/// Tries the pods one by one. Each that fits is assumed on its node for those after it, and one
/// that does not is passed over; no other order is tried. Afterwards the cluster is as before, but
/// for `next_start`. There is at least one node.
///
/// Cost: one decision for each pod, and a search for victims for each that does not fit. Of pods of
///       one kind that follow each other, the first that does not fit answers for all. With a
///       `topology_key` that in each domain, where each decision looks at all its nodes.
[[nodiscard]] GangCycle try_gang(const Gang& gang, Cluster& cluster, Decider& decider);

/// Whether the pods of a gang fit on these nodes, one after the other; a pod without a node is
/// passed over. Afterwards the cluster is as before.
[[nodiscard]] bool fits_on(const Gang& gang,
                           const std::vector<std::optional<std::size_t>>& nodes,
                           Cluster& cluster);

}  // namespace berth::core::kube

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schedulers/kube/decide/change.hpp"
#include "schedulers/kube/decide/cycle.hpp"

namespace berth::core::kube {

/// Changes of one object.
struct Patch {
    std::string node;  ///< The name of the node; empty: the object is the pod.
    std::vector<PatchStep> steps;
};

struct SmallestChange {
    std::string text;  ///< What to do, as a sentence.
    std::vector<Patch> patches;
};

struct ChangeSearch {
    /// The first change that was tried and lets the pod be placed; nothing if none does.
    std::optional<SmallestChange> change;
    std::size_t tried = 0;
};

/// Looks for the smallest change that lets a pod be placed, for which no node is feasible.
///
/// First, single changes are tried, in the order of ChangedField. Then two things of one kind are
/// changed: two tolerations, labels, ports or amounts. Then follow changes of two fields: what
/// rejects the pod after the first change proposes the second one. Last comes what lets the pod
/// preempt others, unless it does so as it is. Each change is judged by the cycle of the changed
/// pod, on the changed node.
///
/// `failed` is the pod's cycle on this cluster. The cluster is afterwards as it was.
/// Cost: at most `most_tried` cycles of changed pods, most of them at few nodes, and what
///       `propose` and `propose_preemption` cost: about 10 ms for a pod that nothing helps at 5 000
///       nodes.
[[nodiscard]] ChangeSearch find_smallest_change(const Pod& pod,
                                                Cluster& cluster,
                                                const Feasible& failed,
                                                bool preempts);
inline constexpr std::size_t most_tried = 64;

/// The same, but what was found is remembered for pods that differ only in name and uid, as long
/// as no pod comes and none waits for another node.
class ChangeFinder {
public:
    explicit ChangeFinder(Cluster& cluster) : cluster_(cluster) {}

    /// Returns: what was found. It lasts until the next call.
    [[nodiscard]] const ChangeSearch& find(const Pod& pod, const Feasible& failed, bool preempts);

private:
    Cluster& cluster_;
    std::uint64_t version_ = 0;
    std::vector<std::pair<Pod, ChangeSearch>> known_;
};

}  // namespace berth::core::kube

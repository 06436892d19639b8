#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "schedulers/kube/decide/cycle.hpp"

// The plugin DefaultPreemption: which pods of lower priority would have to go.
// Source: Kubernetes, pkg/scheduler/framework/preemption and plugins/defaultpreemption.

namespace berth::core::kube {

/// What disruption budgets still allow, as pods are taken one after the other.
class BudgetUse {
public:
    /// `until_exceeded`: a pod that exceeds one budget is not counted by those after it, as where
    /// kube-scheduler preempts for a group. The budgets must outlive it.
    BudgetUse(const std::vector<DisruptionBudget>& budgets, bool until_exceeded);
    /// Takes a pod. Returns whether that is one more than a budget allows.
    [[nodiscard]] bool exceeds(const Pod& pod);

private:
    const std::vector<DisruptionBudget>& budgets_;
    bool until_exceeded_;
    std::vector<std::int64_t> left_;
};

/// A node on which a pod fits if others go.
struct PreemptionCandidate {
    std::string node;
    std::vector<const CountedPod*> victims;  ///< The most important one comes first.
    std::int64_t violations = 0;             ///< So many are more than disruption budgets allow.
};

struct Preemption {
    /// Why the pod may not preempt; empty if it may.
    std::string not_eligible;
    /// Whether any node could be helped by preemption.
    bool has_potential = false;
    std::vector<PreemptionCandidate> candidates;
    /// The candidates of which kube-scheduler takes one; several if it takes any of them.
    std::vector<const PreemptionCandidate*> best;
    /// What was found on each node if there is no candidate.
    std::map<std::string, Verdict> dry_run;
    /// The claim of the pod that loses its devices, since it is reserved for no other pod; nullptr
    /// if no claim loses any.
    const PodClaim* deallocates = nullptr;
    /// What is added to the message that no node is feasible.
    std::string message;
};

/// What DynamicResources says before victims are looked for: with a space behind it, or nothing.
/// `deallocates` becomes the claim that it takes devices from.
[[nodiscard]] std::string message_of_claims(const Pod& pod,
                                            const Cluster& cluster,
                                            const Feasible& found,
                                            const PodClaim*& deallocates);

/// Looks for victims for a pod for which no node is feasible.
/// Cost: filters on each potential node for each of its pods of lower priority.
[[nodiscard]] Preemption preempt(const Pod& pod, const Cluster& cluster, const Feasible& found);

}  // namespace berth::core::kube

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "core/tree/ids.hpp"
#include "schedulers/kube/decide/cluster.hpp"
#include "schedulers/kube/run/kube_settings.hpp"

namespace berth::sim {

/// How many pods the PodDisruptionBudgets of a run let go, as pods come and leave. A pod that has a
/// node is healthy. Expected are the replicas of the objects that control pods of the budget, and
/// one for each of its pods that no known object controls.
///
/// Source: Kubernetes, pkg/controller/disruption.
class DisruptionBudgets {
public:
    /// A pod as its job asks for it, which stands for all equal ones.
    using Template = std::shared_ptr<const core::kube::Pod>;

    /// The objects must outlive it.
    explicit DisruptionBudgets(const KubeClusterObjects& objects) : objects_(objects) {}

    /// So many pods came to be, with or without a node; or they ended, if the number is negative.
    void add(const Template& pod, core::Members change);
    /// Writes what each budget allows now into the cluster, whose budgets are in the same order.
    /// Cost: a look at each kind of pods and at each node, for each budget.
    void update(core::kube::Cluster& cluster) const;

private:
    [[nodiscard]] std::int64_t expected(const KubeBudget& budget) const;

    const KubeClusterObjects& objects_;
    std::map<Template, std::int64_t> pods_;  ///< How many there are; none is 0.
};

}  // namespace berth::sim

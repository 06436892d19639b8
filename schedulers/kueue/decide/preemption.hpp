#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "schedulers/kueue/decide/cache.hpp"
#include "schedulers/kueue/decide/flavor_topologies.hpp"
#include "schedulers/kueue/decide/workload_order.hpp"

namespace berth::core::kueue {

/// Why a workload is preempted.
enum class PreemptionReason : std::uint8_t {
    in_cluster_queue,
    in_cohort_reclamation,
    in_cohort_fair_sharing,
    in_cohort_reclaim_while_borrowing,
};

struct Target {
    WorkloadId workload;
    PreemptionReason reason = PreemptionReason::in_cluster_queue;
};

/// A workload that needs others to be preempted.
struct Preemptor {
    const Workload& workload;
    QuotaNode queue;
    FlavorResourceAmounts requests;  ///< All that the workload asks for.
    /// The part of `requests` that does not fit. Each target holds some of it.
    FlavorResources scarce;
    std::vector<PlaceRequest> places{};  ///< The pods that need places as well as quota.

    /// The policy by which it may preempt workloads of `other`.
    [[nodiscard]] PreemptionPolicy policy_towards(QuotaNode other, const Cache& cache) const;
    [[nodiscard]] bool may_preempt(const HeldWorkload& candidate,
                                   const Cache& cache,
                                   const WorkloadOrder& order) const;
};

/// Searches workloads that make room for another one when they are preempted. It takes them out of
/// the cache and puts them back.
///
/// Source: Kueue, pkg/scheduler/preemption/preemption.go.
class PreemptionSearch {
public:
    PreemptionSearch(Cache& cache, const WorkloadOrder& order, const Preemptor& preemptor);

    /// Returns the workloads that have to be preempted; none if there is no room even without all
    /// candidates. The cache is left as it was.
    std::vector<Target> find();
    /// Whether the result was clear before candidates were tried, because all of them together hold
    /// too little.
    [[nodiscard]] bool was_hopeless() const { return !has_tried_; }

private:
    friend class FairPreemption;
    friend class ClassicalPreemption;

    /// Adds up the most that candidates hold of a scarce resource, at the lowest node that contains
    /// both their queue and the preemptor's queue.
    using HeldBy = std::function<void(FlavorResource, std::span<Amount>)>;
    /// Whether there might be quota if all candidates were preempted. For each node from the
    /// preemptor's queue upwards, `add_held` adds what the candidates found there hold.
    [[nodiscard]] bool may_fit(const HeldBy& add_held) const;
    /// How many steps up from the preemptor's queue a node is.
    [[nodiscard]] std::size_t steps_up_to(QuotaNode node) const;
    /// Whether the requests fit now. Unless borrowing is allowed, they must fit into the queue's
    /// own quota.
    [[nodiscard]] bool fits(bool allow_borrowing) const;
    void take(std::vector<Target>& targets, Target target);
    /// Puts back targets that need not be preempted after all, from the last but one on.
    void fill_back(std::vector<Target>& targets, bool allow_borrowing);
    void restore(const std::vector<Target>& targets);

    Cache& cache_;
    const WorkloadOrder& order_;
    const Preemptor& preemptor_;
    bool has_tried_ = false;  ///< Candidates were taken out one by one.
};

/// How a queue's lack of one resource of a flavor could be met.
enum class PreemptionOutlook : std::uint8_t { no_candidates, preempt, reclaim };

/// The result of preemption for one resource of one flavor alone.
struct SimulatedPreemption {
    PreemptionOutlook outlook = PreemptionOutlook::no_candidates;
    /// How high the cohort is whose quota is used once the targets are gone.
    std::int64_t height = 0;
    std::vector<Target> targets;
    bool hopeless = false;  ///< All candidates together hold too little.
};

/// Source: Kueue, pkg/scheduler/preemption/preemption_oracle.go.
[[nodiscard]] SimulatedPreemption simulate_preemption(Cache& cache,
                                                      const WorkloadOrder& order,
                                                      const Workload& workload,
                                                      FlavorResource what,
                                                      Amount amount);

}  // namespace berth::core::kueue

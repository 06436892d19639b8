#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "schedulers/kueue/decide/flavor_assigner.hpp"
#include "schedulers/kueue/decide/preemption.hpp"

namespace berth::core::kueue {

/// What a workload could get, and which workloads would be preempted for it.
struct Nomination {
    Assignment assignment;
    std::vector<Target> targets;
};

/// Nominates a workload as if it were alone: for all its pods or, if that is impossible and it may
/// shrink, for as many as can be admitted.
///
/// Source: Kueue, pkg/scheduler/scheduler.go, getInitialAssignments.
[[nodiscard]] Nomination nominate(Cache& cache,
                                  const WorkloadOrder& order,
                                  const Workload& workload,
                                  const LastAssignment* last,
                                  const FlavorNomination* nomination);

/// Whether a last assignment no longer says anything about which flavors to try next.
[[nodiscard]] bool is_outdated(const LastAssignment& last,
                               const Cache& cache,
                               QuotaNode queue,
                               std::int64_t cycle);

/// Searches the least reduction of pod sets for which `attempt` has a result. It searches by
/// halving, as if everything smaller than a fit also fitted.
///
/// Source: Kueue, pkg/scheduler/flavorassigner/podset_reducer.go.
[[nodiscard]] std::optional<Nomination> reduce_pod_sets(
    std::span<const PodSet> sets,
    const std::function<std::optional<Nomination>(std::span<const std::int64_t> counts)>& attempt);

/// What heads that are offered again and again were nominated for, so that nothing is searched anew
/// as long as nothing below the root of their cohorts has changed. Such heads belong to StrictFIFO
/// queues, or wait until the workloads that they preempt have ended.
///
/// A nomination depends only on the workload, on where its scan of flavors begins, and on the
/// quota, usage and workloads of its tree. Nothing is remembered if orders depend on the time or on
/// the usage of local queues, or if places are searched in a topology that all trees share.
class NominationMemory {
public:
    /// The nomination that was found the last time, or nullptr.
    [[nodiscard]] const Nomination* find(const Cache& cache,
                                         const Workload& workload,
                                         const LastAssignment* last) const;
    void keep(const Cache& cache,
              const Workload& workload,
              const LastAssignment* last,
              const Nomination& nomination);

private:
    struct Kept {
        std::uint64_t offer = 0;
        std::uint64_t version = 0;
        std::optional<TriedFlavors> tried;
        Nomination nomination;
    };
    std::vector<std::optional<Kept>> kept_;  ///< For each queue, the nomination of its last head.
};

}  // namespace berth::core::kueue

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/kueue/flavor_assigner.hpp"
#include "core/kueue/preemption.hpp"

namespace berth::core::kueue {

/// What a workload could get, and who would go for it.
struct Nomination {
    Assignment assignment;
    std::vector<Target> targets;
};

/// Nominates a workload as if it were alone: for all its pods; and if that cannot be, for as many
/// as can be admitted, where it may shrink.
///
/// Source: Kueue, pkg/scheduler/scheduler.go, getInitialAssignments.
[[nodiscard]] Nomination nominate(Cache& cache,
                                  const WorkloadOrder& order,
                                  const Workload& workload,
                                  const LastAssignment* last,
                                  const FlavorNomination* nomination);

/// Whether a last assignment says nothing any more about which flavors to try next.
[[nodiscard]] bool is_outdated(const LastAssignment& last,
                               const Cache& cache,
                               QuotaNode queue,
                               std::int64_t cycle);

/// Searches the least reduction of pod sets with which `attempt` has a result, by halves: as if
/// whatever is smaller than what fits, fits.
///
/// Source: Kueue, pkg/scheduler/flavorassigner/podset_reducer.go.
[[nodiscard]] std::optional<Nomination> reduce_pod_sets(
    std::span<const PodSet> sets,
    const std::function<std::optional<Nomination>(std::span<const std::int64_t> counts)>& attempt);

}  // namespace berth::core::kueue

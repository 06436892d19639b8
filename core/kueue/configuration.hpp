#pragma once

#include <cstdint>
#include <vector>

#include "core/kueue/feature_gates.hpp"

namespace berth::core::kueue {

/// When a target with a share of its own may be preempted for a fair share.
enum class FairStrategy : std::uint8_t { less_or_equal_to_final_share, less_than_initial_share };

/// What holds for all queues.
struct Configuration {
    FeatureGates gates;
    /// Fair sharing is on if there are any.
    std::vector<FairStrategy> fair_strategies;
    bool admission_fair_sharing = false;
    bool ignore_undeclared = false;   ///< A resource that a queue does not cover needs no quota.
    bool requeue_by_eviction = true;  ///< Who was evicted before its pods were ready queues anew.

    [[nodiscard]] bool fair_sharing() const { return !fair_strategies.empty(); }
};

}  // namespace berth::core::kueue

#pragma once

#include <cstdint>
#include <vector>

#include "schedulers/kueue/decide/cache.hpp"
#include "schedulers/kueue/decide/workload_order.hpp"

namespace berth::core::kueue {

/// Requests for which all workloads that may be preempted hold too little. As long as nothing below
/// the root of their cohorts changes, no search is made again: neither for the same amount, nor for
/// more, nor for a workload of the same queue that may preempt no more than the one before.
///
/// The upper bound of what those workloads hold can only fall with a larger amount and with a lower
/// priority: see docs/decisions/0062-a-search-that-must-fail-is-not-made.md.
class HopelessRequests {
public:
    /// Call it only while no workloads are taken out and no usage is on trial.
    [[nodiscard]] bool covers(const Cache& cache,
                              const WorkloadOrder& order,
                              const Workload& workload,
                              FlavorResource what,
                              Amount amount) const;
    void add(const Cache& cache,
             const WorkloadOrder& order,
             const Workload& workload,
             FlavorResource what,
             Amount amount);

private:
    struct Request {
        FlavorResource what;
        Amount amount = 0;
        std::int64_t priority = 0;
        Time since;
    };
    struct OfQueue {
        /// The version of the tree when the requests were found hopeless.
        std::uint64_t version = 0;
        std::vector<Request> requests;  ///< No request covers one that came after it.
    };
    std::vector<OfQueue> queues_;
};

}  // namespace berth::core::kueue

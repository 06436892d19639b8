#pragma once

#include <cstdint>
#include <vector>

#include "schedulers/kueue/decide/cache.hpp"
#include "schedulers/kueue/decide/workload_order.hpp"

namespace berth::core::kueue {

/// Requests for which all who may be preempted hold too little, so that nobody is asked again as
/// long as nothing below the root of their cohorts changes: neither for the same amount, nor for
/// more, nor for a workload of the same queue that may preempt no more than the one before.
///
/// That bound only falls with the amount and with the priority: see
/// docs/decisions/0062-a-search-that-must-fail-is-not-made.md.
class HopelessRequests {
public:
    /// No workloads are taken out, and no usage is on trial.
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
        std::uint64_t version = 0;      ///< The tree's version when the requests were found so.
        std::vector<Request> requests;  ///< None of them covers another that came after it.
    };
    std::vector<OfQueue> queues_;
};

}  // namespace berth::core::kueue

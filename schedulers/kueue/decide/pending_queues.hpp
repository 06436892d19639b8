#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "schedulers/kueue/decide/cache.hpp"
#include "schedulers/kueue/decide/workload_order.hpp"

namespace berth::core::kueue {

/// Workloads that wait for quota, in the order of their queues.
///
/// Cost:   adding a workload costs O(log) of its queue; heads() costs nothing for the workloads
///         behind.
/// Source: Kueue, pkg/cache/queue/cluster_queue.go.
class PendingQueues {
public:
    explicit PendingQueues(const WorkloadOrder& order) : order_(order) {}
    PendingQueues(const PendingQueues&) = delete;
    PendingQueues& operator=(const PendingQueues&) = delete;

    void add(Workload workload);
    /// The first workload of each queue, by the queues' names. Queues that are not active have
    /// none.
    [[nodiscard]] std::vector<const Workload*> heads(const Cache& cache) const;

private:
    struct Before {
        const PendingQueues* queues;
        bool operator()(std::uint32_t a, std::uint32_t b) const {
            const Workload& left = queues->workloads_[a];
            const Workload& right = queues->workloads_[b];
            return queues->order_.queues_before(left, right) ||
                   (a < b && !queues->order_.queues_before(right, left));
        }
    };
    using Queue = std::set<std::uint32_t, Before>;

    WorkloadOrder order_;
    /// Numbered in the order in which they came; their queue may not exist.
    std::deque<Workload> workloads_;
    std::map<std::string, Queue> queues_;
};

}  // namespace berth::core::kueue

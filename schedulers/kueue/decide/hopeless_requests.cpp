#include "schedulers/kueue/decide/hopeless_requests.hpp"

#include <algorithm>

namespace berth::core::kueue {

bool HopelessRequests::covers(const Cache& cache,
                              const WorkloadOrder& order,
                              const Workload& workload,
                              FlavorResource what,
                              Amount amount) const {
    const std::size_t queue = workload.queue->index;
    if (queue >= queues_.size() || queues_[queue].version != cache.version(*workload.queue)) {
        return false;
    }
    return std::ranges::any_of(queues_[queue].requests, [&](const Request& known) {
        return known.what == what && known.amount <= amount &&
               (workload.priority < known.priority ||
                (workload.priority == known.priority &&
                 order.queued_since(workload) >= known.since));
    });
}

void HopelessRequests::add(const Cache& cache,
                           const WorkloadOrder& order,
                           const Workload& workload,
                           FlavorResource what,
                           Amount amount) {
    queues_.resize(cache.queue_count());
    OfQueue& own = queues_[workload.queue->index];
    if (own.version != cache.version(*workload.queue)) {
        own.version = cache.version(*workload.queue);
        own.requests.clear();
    }
    own.requests.push_back({what, amount, workload.priority, order.queued_since(workload)});
}

}  // namespace berth::core::kueue

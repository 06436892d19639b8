#include "core/kueue/hopeless_requests.hpp"

#include <algorithm>

namespace berth::core::kueue {
namespace {

std::uint64_t version_for(const Cache& cache, const Workload& workload) {
    return cache.version(cache.tree().root(*workload.queue));
}

}  // namespace

bool HopelessRequests::covers(const Cache& cache,
                              const WorkloadOrder& order,
                              const Workload& workload,
                              FlavorResource what,
                              Amount amount) const {
    const std::size_t queue = workload.queue->index;
    if (queue >= queues_.size() || queues_[queue].version != version_for(cache, workload)) {
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
    if (own.version != version_for(cache, workload)) {
        own.version = version_for(cache, workload);
        own.requests.clear();
    }
    own.requests.push_back({what, amount, workload.priority, order.queued_since(workload)});
}

}  // namespace berth::core::kueue

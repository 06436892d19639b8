#include "schedulers/kueue/decide/pending_queues.hpp"

#include <utility>

namespace berth::core::kueue {

void PendingQueues::add(Workload workload) {
    const auto number = static_cast<std::uint32_t>(workloads_.size());
    workloads_.push_back(std::move(workload));
    queues_.try_emplace(workloads_.back().queue_name, Before{this}).first->second.insert(number);
}

std::vector<const Workload*> PendingQueues::heads(const Cache& cache) const {
    std::vector<const Workload*> heads;
    for (const auto& [name, queue] : queues_) {
        const Workload& first = workloads_[*queue.begin()];
        if (!first.queue || cache.is_active(*first.queue)) {
            heads.push_back(&first);
        }
    }
    return heads;
}

}  // namespace berth::core::kueue

#include "core/kueue/nomination_memory.hpp"

namespace berth::core::kueue {
namespace {

bool may_be_kept(const Cache& cache, const Workload& workload) {
    return workload.offer != 0 && cache.topologies() == nullptr &&
           cache.local_queues() == nullptr && cache.are_written();
}

std::optional<TriedFlavors> tried_by(const LastAssignment* last) {
    return last == nullptr ? std::nullopt : std::optional(last->tried);
}

}  // namespace

const Nomination* NominationMemory::find(const Cache& cache,
                                         const Workload& workload,
                                         const LastAssignment* last) const {
    const std::size_t queue = workload.queue->index;
    if (queue >= kept_.size() || !kept_[queue] || !may_be_kept(cache, workload)) {
        return nullptr;
    }
    const Kept& kept = *kept_[queue];
    const bool is_same = kept.offer == workload.offer &&
                         kept.version == cache.version(*workload.queue) &&
                         kept.tried == tried_by(last);
    return is_same ? &kept.nomination : nullptr;
}

void NominationMemory::keep(const Cache& cache,
                            const Workload& workload,
                            const LastAssignment* last,
                            const Nomination& nomination) {
    const bool comes_again =
        cache.queue(*workload.queue).strategy == QueueingStrategy::strict_fifo ||
        !nomination.targets.empty();
    if (comes_again && may_be_kept(cache, workload)) {
        kept_.resize(cache.queue_count());
        kept_[workload.queue->index] =
            Kept{workload.offer, cache.version(*workload.queue), tried_by(last), nomination};
    }
}

}  // namespace berth::core::kueue

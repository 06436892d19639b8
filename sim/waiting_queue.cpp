#include "sim/waiting_queue.hpp"

#include "core/support/assert.hpp"

namespace berth::sim {

WaitingQueue::Class WaitingQueue::class_of(const Job& job) {
    std::vector<std::int64_t> constraints;
    for (std::uint32_t level = 0; job.constraints && level < job.constraints->level_count();
         ++level) {
        const core::LevelConstraint& constraint = job.constraints->at(core::Level{level});
        constraints.insert(constraints.end(),
                           {static_cast<std::int64_t>(constraint.affinity),
                            constraint.hard ? 1 : 0,
                            constraint.range ? constraint.range->min : 0,
                            constraint.range ? constraint.range->max : 0,
                            static_cast<std::int64_t>(constraint.partitions),
                            constraint.factor,
                            static_cast<std::int64_t>(constraint.scope)});
    }
    return {job.demand, job.size, job.min_available, job.group, std::move(constraints)};
}

QueueKey WaitingQueue::key_of(const Job& job, std::uint64_t arrival) const {
    return {order_ == QueueSort::priority ? -static_cast<std::int64_t>(job.priority) : 0, arrival};
}

void WaitingQueue::add(const Job& job, std::uint64_t arrival, std::uint32_t job_index) {
    classes_[class_of(job)].jobs.emplace(key_of(job, arrival), job_index);
    ++size_;
}

void WaitingQueue::remove(const Job& job, std::uint64_t arrival) {
    const auto entry = classes_.find(class_of(job));
    BERTH_ASSERT(entry != classes_.end() && entry->second.jobs.erase(key_of(job, arrival)) == 1,
                 "only a waiting job leaves the queue");
    if (entry->second.jobs.empty()) {
        classes_.erase(entry);
    }
    --size_;
}

void WaitingQueue::begin_cycle(std::uint64_t releases) {
    releases_ = releases;
    heads_.clear();
    for (auto entry = classes_.begin(); entry != classes_.end(); ++entry) {
        if (entry->second.refused_at != releases) {
            heads_.emplace(entry->second.jobs.begin()->first, entry);
        }
    }
}

std::optional<std::uint32_t> WaitingQueue::next() const {
    if (heads_.empty()) {
        return std::nullopt;
    }
    return heads_.begin()->second->second.jobs.begin()->second;
}

void WaitingQueue::taken() {
    const auto entry = heads_.begin()->second;
    heads_.erase(heads_.begin());
    entry->second.jobs.erase(entry->second.jobs.begin());
    --size_;
    if (entry->second.jobs.empty()) {
        classes_.erase(entry);
    } else {
        heads_.emplace(entry->second.jobs.begin()->first, entry);
    }
}

void WaitingQueue::refused() {
    heads_.begin()->second->second.refused_at = releases_;
    heads_.erase(heads_.begin());
}

}  // namespace berth::sim

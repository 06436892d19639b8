#include "sim/schedulers/outside/job_order.hpp"

#include <algorithm>

#include "core/support/assert.hpp"

namespace berth::sim {

std::vector<JobOrder::Entry>::iterator JobOrder::find(std::uint64_t key) {
    return std::ranges::lower_bound(entries_, key, {}, &Entry::key);
}

void JobOrder::add(JobId id, std::uint64_t key) {
    BERTH_ASSERT(!contains(id), "a job has one place in an order");
    if (id.index >= keys_.size()) {
        keys_.resize(id.index + std::size_t{1});
    }
    keys_[id.index] = key;
    ++size_;
    const auto at = find(key);
    const auto place = static_cast<std::size_t>(at - entries_.begin());
    if (at != entries_.end() && at->key == key) {
        BERTH_ASSERT(!at->there, "no two jobs have one key");
        *at = {key, id, true};  // it comes back to the place that it left
    } else {
        entries_.insert(at, {key, id, true});
    }
    first_ = std::min(first_, place);
}

void JobOrder::remove(JobId id) {
    BERTH_ASSERT(contains(id), "a job that leaves an order was in it");
    const auto at = find(*keys_[id.index]);
    BERTH_ASSERT(at != entries_.end() && at->there && at->id == id, "a job is where its key says");
    at->there = false;
    keys_[id.index].reset();
    --size_;
    while (first_ < entries_.size() && !entries_[first_].there) {
        ++first_;
    }
}

void JobOrder::close_gaps() {
    if (entries_.size() > 2 * size_) {
        std::erase_if(entries_, [](const Entry& entry) { return !entry.there; });
        first_ = 0;
    }
}

}  // namespace berth::sim

#include "sim/queue/duration_index.hpp"

#include <algorithm>

#include "core/support/assert.hpp"

namespace berth::sim {
namespace {

using QueuedTime = std::pair<QueueKey, SimTime>;

auto at(auto& list, std::size_t index) {
    return list.begin() + static_cast<std::ptrdiff_t>(index);
}

}  // namespace

void DurationIndex::note_shortest(std::size_t stretch) {
    shortest_[stretch] = std::ranges::min(stretches_[stretch], {}, &QueuedTime::second).second;
}

/// The stretch that has the place, or is to have it; there is at least one stretch.
std::size_t DurationIndex::stretch_of(const QueueKey& place) const {
    const auto behind = std::ranges::upper_bound(begins_, place) - begins_.begin();
    return static_cast<std::size_t>(std::max<std::ptrdiff_t>(behind, 1)) - 1;
}

void DurationIndex::add(const QueueKey& place, SimTime duration) {
    if (stretches_.empty()) {
        stretches_.emplace_back();
        begins_.push_back(place);
        shortest_.push_back(never);
    }
    const std::size_t here = stretch_of(place);
    begins_[here] = std::min(begins_[here], place);
    shortest_[here] = std::min(shortest_[here], duration);
    Stretch& jobs = stretches_[here];
    const auto before = std::ranges::lower_bound(jobs, place, {}, &QueuedTime::first);
    BERTH_ASSERT(before == jobs.end() || before->first != place, "no two jobs have one place");
    jobs.insert(before, {place, duration});
    if (jobs.size() > stretch_max) {
        const auto middle = at(jobs, jobs.size() / 2);
        Stretch second(middle, jobs.end());
        jobs.erase(middle, jobs.end());
        begins_.insert(at(begins_, here + 1), second.front().first);
        shortest_.insert(at(shortest_, here + 1), never);
        stretches_.insert(at(stretches_, here + 1), std::move(second));
        note_shortest(here);
        note_shortest(here + 1);
    }
}

void DurationIndex::remove(const QueueKey& place) {
    BERTH_ASSERT(!stretches_.empty(), "who leaves was there");
    const std::size_t here = stretch_of(place);
    Stretch& jobs = stretches_[here];
    const auto leaving = std::ranges::lower_bound(jobs, place, {}, &QueuedTime::first);
    BERTH_ASSERT(leaving != jobs.end() && leaving->first == place, "who leaves was there");
    const SimTime duration = leaving->second;
    jobs.erase(leaving);
    if (jobs.empty()) {
        stretches_.erase(at(stretches_, here));
        begins_.erase(at(begins_, here));
        shortest_.erase(at(shortest_, here));
    } else if (duration == shortest_[here]) {
        note_shortest(here);
    }
}

std::optional<QueueKey> DurationIndex::first(const QueueKey& after, SimTime most) const {
    if (stretches_.empty()) {
        return std::nullopt;
    }
    for (std::size_t here = stretch_of(after); here < stretches_.size(); ++here) {
        if (shortest_[here] > most) {
            continue;
        }
        for (const auto& [place, duration] : stretches_[here]) {
            if (place > after && duration <= most) {
                return place;
            }
        }
    }
    return std::nullopt;
}

}  // namespace berth::sim

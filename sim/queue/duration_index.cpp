#include "sim/queue/duration_index.hpp"

#include <algorithm>
#include <iterator>

#include "core/support/assert.hpp"

namespace berth::sim {

using Job = std::pair<QueueKey, SimTime>;

void DurationIndex::note_shortest(Stretch& stretch) {
    stretch.shortest = std::ranges::min(stretch.jobs, {}, &Job::second).second;
}

/// The one that has the place, or is to have it; one is there.
DurationIndex::Stretches::iterator DurationIndex::stretch_of(const QueueKey& place) {
    const auto behind = stretches_.upper_bound(place);
    return behind == stretches_.begin() ? behind : std::prev(behind);
}

void DurationIndex::add(const QueueKey& place, SimTime duration) {
    if (stretches_.empty()) {
        stretches_.try_emplace(place);
    }
    auto here = stretch_of(place);
    if (place < here->first) {  // before all others
        auto first = stretches_.extract(here);
        first.key() = place;
        here = stretches_.insert(std::move(first)).position;
    }
    std::vector<Job>& jobs = here->second.jobs;
    const auto at = std::ranges::lower_bound(jobs, place, {}, &Job::first);
    BERTH_ASSERT(at == jobs.end() || at->first != place, "no two jobs have one place");
    jobs.insert(at, {place, duration});
    if (jobs.size() > stretch_max) {
        const auto middle = jobs.begin() + static_cast<std::ptrdiff_t>(jobs.size() / 2);
        Stretch& second = stretches_[middle->first];
        second.jobs.assign(middle, jobs.end());
        jobs.erase(middle, jobs.end());
        note_shortest(second);
    }
    note_shortest(here->second);
}

void DurationIndex::remove(const QueueKey& place) {
    const auto here = stretches_.empty() ? stretches_.end() : stretch_of(place);
    BERTH_ASSERT(here != stretches_.end(), "who leaves was there");
    std::vector<Job>& jobs = here->second.jobs;
    const auto at = std::ranges::lower_bound(jobs, place, {}, &Job::first);
    BERTH_ASSERT(at != jobs.end() && at->first == place, "who leaves was there");
    jobs.erase(at);
    if (jobs.empty()) {
        stretches_.erase(here);
    } else {
        note_shortest(here->second);
    }
}

std::optional<QueueKey> DurationIndex::first(const QueueKey& after, SimTime most) const {
    auto here = stretches_.upper_bound(after);
    if (here != stretches_.begin()) {
        --here;
    }
    for (; here != stretches_.end(); ++here) {
        if (here->second.shortest > most) {
            continue;
        }
        for (const auto& [place, duration] : here->second.jobs) {
            if (place > after && duration <= most) {
                return place;
            }
        }
    }
    return std::nullopt;
}

}  // namespace berth::sim

#include "schedulers/rounds/decide/tick_policy.hpp"

#include <algorithm>

namespace berth::core::rounds {

void TickPolicy::decide(std::chrono::nanoseconds now,
                        TickJobs& jobs,
                        const std::vector<TickSlot>& came,
                        ServerPlaces& cluster,
                        TickPlaces& out) {
    std::erase_if(order_, [&](const Ranked& one) {
        const bool ended = jobs[one.job].ended;
        if (ended) {
            jobs.remove(one.job);
        }
        return ended;
    });
    const std::size_t first_new = order_.size();
    for (const TickSlot slot : came) {
        order_.push_back({0, slot, 0, 0, false});
    }
    sort(now, jobs, first_new);
    cluster.reset();
    out.jobs.clear();
    out.end.clear();
    out.places.clear();
    place(jobs, cluster, out);
}

void TickPolicy::place_one(std::size_t position,
                           const TickJobs& jobs,
                           ServerPlaces& cluster,
                           TickPlaces& out) {
    Ranked& one = order_[position];
    one.placed = cluster.take(jobs[one.job].gpus, out.places);
    if (one.placed) {
        out.jobs.push_back(position);
        out.end.push_back(out.places.size());
    }
}

void TickPolicy::place(const TickJobs& jobs, ServerPlaces& cluster, TickPlaces& out) {
    for (std::size_t i = 0; i < order_.size(); ++i) {
        order_[i].free = static_cast<std::int32_t>(cluster.free());
        place_one(i, jobs, cluster, out);
    }
}

}  // namespace berth::core::rounds

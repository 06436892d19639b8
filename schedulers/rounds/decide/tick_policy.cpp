#include "schedulers/rounds/decide/tick_policy.hpp"

#include <algorithm>

namespace berth::core::rounds {

void TickPolicy::decide(std::chrono::nanoseconds now,
                        TickJobs& jobs,
                        const std::vector<TickSlot>& came,
                        ServerPlaces& cluster,
                        TickPlaces& out) {
    std::erase_if(order_, [&](const Ranked& one) {
        const bool ended = jobs.has_ended(one.job);
        if (ended) {
            jobs.remove(one.job);
        }
        return ended;
    });
    const std::size_t first_new = order_.size();
    for (const TickSlot slot : came) {
        order_.push_back({0, slot, 0, jobs[slot].gpus, false, false});
    }
    sort(now, jobs, first_new);
    cluster.reset();
    out.clear();
    place(cluster, out);
}

std::int64_t TickPolicy::taken_before(std::size_t position) const {
    std::int64_t taken = 0;
    for (std::size_t i = 0; i < position; ++i) {
        taken += order_[i].fitted ? order_[i].gpus : 0;
    }
    return taken;
}

void TickPolicy::place_one(std::size_t position, ServerPlaces& cluster, TickPlaces& out) {
    Ranked& one = order_[position];
    one.placed = cluster.take(one.gpus, out.places);
    if (one.placed) {
        out.jobs.push_back(position);
        out.end.push_back(out.places.size());
    }
}

void TickPolicy::place(ServerPlaces& cluster, TickPlaces& out) {
    std::size_t next = 0;
    for (; next < order_.size() && cluster.free() > 0; ++next) {
        place_one(next, cluster, out);
        order_[next].fitted = order_[next].placed;
    }
    for (; next < order_.size(); ++next) {
        order_[next].fitted = order_[next].placed = false;
    }
}

}  // namespace berth::core::rounds

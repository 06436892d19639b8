#include "schedulers/rounds/decide/tick_policy.hpp"

#include <algorithm>
#include <functional>
#include <utility>

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

std::vector<std::size_t> TickPolicy::largest_first(std::vector<std::size_t> positions) const {
    std::ranges::stable_sort(
        positions, std::greater(), [&](std::size_t position) { return order_[position].gpus; });
    return positions;
}

std::vector<MissedTurn> TickPolicy::missed_turns(std::int64_t gpus) const {
    std::vector<MissedTurn> turns;
    std::vector<std::size_t> fitted;
    std::int64_t free = gpus;
    for (std::size_t i = 0; i < order_.size(); ++i) {
        turns.push_back({free, false});
        if (order_[i].fitted) {
            fitted.push_back(i);
            free -= order_[i].gpus;
        }
    }
    free = gpus;
    for (const std::size_t position : largest_first(std::move(fitted))) {
        if (order_[position].placed) {
            free -= order_[position].gpus;
        } else {
            turns[position] = {free, true};
        }
    }
    return turns;
}

bool TickPolicy::would_place(std::size_t position, std::int32_t gpus, ServerPlaces& cluster) {
    const std::vector<Ranked> order = order_;
    TickPlaces places;
    order_[position].gpus = gpus;
    cluster.reset();
    place(cluster, places);
    const bool is_placed = order_[position].placed;
    order_ = order;
    return is_placed;
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

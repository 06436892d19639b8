// When a job can start beside all who run and all promises.

#include <algorithm>
#include <utility>

#include "core/index/weighted_score.hpp"
#include "core/support/assert.hpp"
#include "sim/backfill/reservation_plan.hpp"
#include "sim/backfill/start_search.hpp"
#include "sim/job/pod_shape.hpp"

namespace berth::sim {

using core::Amount;
using core::Members;
using core::ServerId;

/// From when on any server has.
SimTime ReservationPlan::first_time(const Job& job, SimTime duration, SimTime from) {
    SimTime first = never;
    for (std::uint32_t server = 0; server < table_.servers() && first > from; ++server) {
        first = table_.first_room(server, job.demand, duration, from, first);
    }
    return first;
}

GrowingRoom& ReservationPlan::room(const Job& job, Members members) {
    constexpr std::size_t bytes_max = std::size_t{1} << 26;
    const std::size_t rooms_max =
        std::clamp<std::size_t>(bytes_max / (table_.servers() * sizeof(Members)), 4, 64);
    const RoomKey key{job.demand, members, std::min(members, job.min_available)};
    auto known = rooms_.find(key);
    if (known == rooms_.end()) {
        if (rooms_.size() == rooms_max) {
            rooms_.erase(std::ranges::min_element(
                rooms_, {}, [](const auto& entry) { return entry.second.last_used; }));
        }
        known = rooms_.emplace(key, Room{GrowingRoom(table_, job, members)}).first;
    }
    known->second.last_used = ++rooms_used_;
    return known->second.room;
}

bool ReservationPlan::is_by_amounts(const Job& job) const {
    return is_by_amounts() && !job.group && is_plain(job) &&
           std::ranges::any_of(job.demand, [](Amount amount) { return amount > 0; });
}

/// Has then_ as the cluster is at a time, while nothing is promised.
void ReservationPlan::show_then(SimTime at) {
    const auto show = [&](ServerId server) {
        const Timetable::Place& here = table_.at(server.index);
        then_.show(server.index, table_.free(here, here.step_at(at)));
    };
    if (!then_at_ || then_changes_.has_missed()) {
        for (std::uint32_t server = 0; server < table_.servers(); ++server) {
            show(ServerId{server});
        }
        then_changes_.skip();
        then_at_ = at;
    }
    then_changes_.each(show);
    // Who has left by now is among the changes; others leave between the two times.
    const auto [begin, end] = std::minmax({std::max(*then_at_, table_.now()), at});
    for (auto left = table_.next_end(begin); left && *left <= end; left = table_.next_end(*left)) {
        table_.each_left_at(*left, show);
    }
    then_at_ = at;
}

/// The server that the profile would choose for a pod of these, on which it fits at a time; nothing
/// goes on inside, and no rule refuses it.
Attempt ReservationPlan::choose(const Job& job,
                                std::span<const ServerId> servers,
                                SimTime at,
                                SimTime duration) {
    BERTH_ASSERT(!servers.empty(), "one of some servers is chosen");
    ServerId chosen = servers.front();
    std::int64_t highest = -1;
    std::vector<Amount> least(ledger_.resource_count());
    for (std::size_t i = 0; servers.size() > 1 && i < servers.size(); ++i) {
        const Timetable::Place& here = table_.at(servers[i].index);
        const std::size_t begin = here.step_at(at);
        table_.least_free(here, begin, here.steps_until(after(at, duration), begin), least);
        const std::int64_t score =
            core::weighted_score(profile_.score,
                                 ledger_.capacity(ledger_.topology().node_of(servers[i])),
                                 least,
                                 job.demand);
        if (score > highest) {
            highest = score;
            chosen = servers[i];
        }
    }
    Attempt attempt;
    attempt.found = true;
    attempt.placed = 1;
    attempt.servers = {{ledger_.topology().node_of(chosen), 1}};
    return attempt;
}

/// The same as earliest(), where what is free only grows.
std::optional<ReservationPlan::Start> ReservationPlan::earliest_of_growing(const Job& job,
                                                                           Members members,
                                                                           SimTime duration) {
    GrowingRoom& room = this->room(job, members);
    bool any = room.go_to_first();
    if (any && is_by_amounts(job)) {
        return Start{room.at(), choose(job, room.first_servers(), room.at(), duration)};
    }
    for (; any; any = room.advance()) {
        show_then(room.at());
        if (auto attempt = then_.find(job, members)) {
            return Start{room.at(), std::move(*attempt)};
        }
    }
    return std::nullopt;
}

FirstTimes& ReservationPlan::first_times(const Job& job, SimTime duration) {
    constexpr std::size_t bytes_max = std::size_t{1} << 28;
    const std::size_t most =
        std::max<std::size_t>(bytes_max / (table_.servers() * std::size_t{16}), 4);
    if (first_times_.size() >= most) {
        first_times_.clear();
    }
    const SimTime shortest = shortest_alike(duration);
    return first_times_.try_emplace({job.demand, shortest}, table_, job.demand, shortest)
        .first->second;
}

/// The same as earliest(), for a pod that is_by_amounts().
std::optional<ReservationPlan::Start> ReservationPlan::earliest_of_pod(const Job& job,
                                                                       SimTime duration,
                                                                       SimTime from) {
    const FirstTimes::Found found = first_times(job, duration).find(duration, from);
    if (found.at == never) {
        return std::nullopt;
    }
    return Start{found.at, choose(job, found.servers, found.at, duration)};
}

std::optional<ReservationPlan::Start> ReservationPlan::earliest(const Job& job,
                                                                Members members,
                                                                SimTime duration,
                                                                SimTime not_before) {
    const SimTime from = std::max(not_before, table_.now());
    if (from == table_.now() && table_.promised().empty() && is_by_amounts() &&
        job.per_server_max == 0) {
        return earliest_of_growing(job, members, duration);
    }
    if (is_by_amounts(job)) {
        return earliest_of_pod(job, duration, from);
    }
    const SimTime first = members == 1 ? first_time(job, duration, from) : from;
    if (first == never) {
        return std::nullopt;
    }
    StartSearch search(table_, job, members, duration, first);
    then_at_.reset();
    do {
        if (search.enough()) {
            search.show(then_);
            if (auto attempt = then_.find(job, members)) {
                return Start{search.at(), std::move(*attempt)};
            }
        }
    } while (search.advance());
    return std::nullopt;
}

}  // namespace berth::sim

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "core/index/fit_index.hpp"
#include "core/index/scorer.hpp"
#include "core/support/assert.hpp"
#include "sim/backfill/imagined_cluster.hpp"
#include "sim/backfill/reservation_plan.hpp"
#include "sim/backfill/timetable.hpp"
#include "sim/job/pod_shape.hpp"

// Computes when a job can start beside all running jobs and all promises.
namespace berth::sim {
namespace {

using core::Amount;
using core::Members;

/// Counts how many members of a job fit for all of the time that they would stay, at a start time
/// that advances from one change of what is free to the next.
class StartSearch {
public:
    /// The first start time is `at`. `table` and `job` outlive the search, and the table does not
    /// change meanwhile.
    StartSearch(
        Timetable& table, const Job& job, core::Members members, SimTime duration, SimTime at);

    [[nodiscard]] SimTime at() const { return at_; }
    /// Whether, by amounts, as many members fit as have to start; at most `members` are counted on
    /// each server.
    [[nodiscard]] bool enough() const { return all_ >= std::min(members_, job_.min_available); }
    /// Shows `cluster` what is free at at(); the cluster must still show what this search showed it
    /// before.
    void show(ImaginedCluster& cluster);
    /// Advances to the next time at which anything is different. Returns whether there is one.
    bool advance();

private:
    void look(std::uint32_t place);
    void count(const Timetable::Place& here,
               std::uint32_t server,
               std::size_t begin,
               std::size_t end);
    [[nodiscard]] SimTime next_change(const Timetable::Place& here,
                                      std::uint32_t place,
                                      std::size_t begin,
                                      std::size_t end) const;
    [[nodiscard]] std::span<core::Amount> free(std::uint32_t server) {
        return std::span(free_).subspan(server * width_, width_);
    }

    using Change = std::pair<SimTime, std::uint32_t>;
    Timetable& table_;
    const Job& job_;
    core::Members members_;
    SimTime duration_;
    SimTime at_;
    std::size_t width_;
    core::Members all_ = 0;
    std::vector<core::Amount> free_;     ///< What is free, by server and resource.
    std::vector<Inside::Taken> inside_;  ///< What is taken inside, by place.
    std::vector<core::Members> fits_;
    std::vector<bool> drained_;          ///< Whether each server is drained before the job would
                                         ///< end; empty in a run without drains.
    std::vector<core::Members> pods_;    ///< Pods of the job's application on each server; empty if
                                         ///< it has no limit.
    std::vector<std::size_t> begins_;    ///< The step of each place that holds at `at_`.
    std::vector<std::uint32_t> looked_;  ///< Places that show() has to show.
    std::priority_queue<Change, std::vector<Change>, std::greater<>> changes_;
};

StartSearch::StartSearch(
    Timetable& table, const Job& job, Members members, SimTime duration, SimTime at)
    : table_(table),
      job_(job),
      members_(members),
      duration_(duration),
      at_(at),
      width_(job.demand.size()),
      free_(table.servers() * width_),
      inside_(table.places_inside()),
      fits_(table.servers()),
      drained_(table.calendar().empty() ? 0 : table.servers()),
      pods_(job.per_server_max > 0 ? table.servers() : 0),
      begins_(table.places()) {
    for (std::uint32_t place = 0; place < table.places(); ++place) {
        look(place);
    }
}

void StartSearch::show(ImaginedCluster& cluster) {
    for (const std::uint32_t place : std::exchange(looked_, {})) {
        if (place < table_.servers()) {
            cluster.show(place, free(place));
        }
        if (place < drained_.size()) {
            cluster.hide(place, drained_[place]);
        }
        if (place < table_.places_inside()) {
            cluster.show_inside(place, inside_[place]);
        }
        if (place < pods_.size()) {
            cluster.show_pods(job_, place, pods_[place]);
        }
    }
}

bool StartSearch::advance() {
    if (changes_.empty()) {
        return false;
    }
    at_ = changes_.top().first;
    while (!changes_.empty() && changes_.top().first == at_) {
        const std::uint32_t place = changes_.top().second;
        changes_.pop();
        look(place);
    }
    return true;
}

void StartSearch::look(std::uint32_t place) {
    const Timetable::Place& here = table_.at(place);
    std::size_t& begin = begins_[place];
    while (begin + 1 < here.times.size() && here.times[begin + 1] <= at_) {
        ++begin;
    }
    const std::size_t end = here.steps_until(after(at_, duration_), begin);
    if (place < drained_.size()) {
        drained_[place] = table_.calendar().meets(core::ServerId{place}, at_, duration_);
    }
    if (place < table_.servers()) {
        count(here, place, begin, end);
    }
    if (place < table_.places_inside()) {
        inside_[place] = table_.taken(place, begin, end);
    }
    if (place < pods_.size()) {
        pods_[place] = table_.pods(job_, place, begin, end);
    }
    looked_.push_back(place);
    if (const SimTime change = next_change(here, place, begin, end); change != never) {
        changes_.emplace(std::max(change, at_ + SimTime(1)), place);
    }
}

/// The next start time at which this place looks different: a step leaves the time that the job
/// would stay, or comes into it, or a drain does.
SimTime StartSearch::next_change(const Timetable::Place& here,
                                 std::uint32_t place,
                                 std::size_t begin,
                                 std::size_t end) const {
    SimTime change = begin + 1 < here.times.size() ? here.times[begin + 1] : never;
    if (end < here.times.size() && duration_ != never) {
        change = std::min(change, here.times[end] - duration_ + SimTime(1));
    }
    if (place < drained_.size()) {
        const core::ServerId server{place};
        change = std::min(change, table_.calendar().next_change(server, at_, duration_));
    }
    return change;
}

/// Counts how many members fit on a server by the amounts that are free in all of these steps.
void StartSearch::count(const Timetable::Place& here,
                        std::uint32_t server,
                        std::size_t begin,
                        std::size_t end) {
    const std::span least = free(server);
    table_.least_free(here, begin, end, least);
    const bool drained = server < drained_.size() && drained_[server];
    const Members fit =
        drained ? 0 : std::clamp<Members>(core::fit_of(least, job_.demand), 0, members_);
    all_ += fit - fits_[server];
    fits_[server] = fit;
}

}  // namespace

using core::Amount;
using core::Members;
using core::ServerId;

/// The first time from `from` on at which any server has room for a pod of the job for `duration`.
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

/// Makes then_ show the cluster at a time, while nothing is promised.
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
    // Members that have left by now are among the changes; others leave between the two times.
    const auto [begin, end] = std::minmax({std::max(*then_at_, table_.now()), at});
    for (auto left = table_.next_end(begin); left && *left <= end; left = table_.next_end(*left)) {
        table_.each_left_at(*left, show);
    }
    then_at_ = at;
}

/// The place on the server that the profile would choose for a pod, out of servers on which the pod
/// fits at a time. Nothing goes on inside servers, and no rule refuses them.
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

/// The same as earliest(), for the case in which the free amounts only grow.
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

/// The same as earliest(), for a pod for which is_by_amounts() holds.
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

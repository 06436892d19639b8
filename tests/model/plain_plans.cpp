// Which jobs start before a job that finds no place, as docs/reference/queue-policies.md describes
// it. A plan consists of two lists: until when each job runs, and what is promised to which job.

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "tests/model/plain_inside.hpp"
#include "tests/model/plain_run.hpp"

namespace berth::tests {

using core::Members;
using sim::SimTime;

/// How long the rest of the job's work is expected to take; `never` if that is unknown.
SimTime PlainRun::expected_run(const PlainJobState& job) const {
    const auto stated = job.job.estimate ? job.job.estimate : job.job.duration;
    if (!stated) {
        return sim::never;
    }
    const SimTime done = job.left ? *job.job.duration - *job.left : SimTime(0);
    return std::max(*stated - done, SimTime(0));
}

/// A job that has exceeded its estimate may end in a moment.
SimTime PlainRun::expected_end(const PlainJobState& job) const {
    const SimTime run = expected_run(job);
    return run == sim::never ? run : std::max(*job.start + run, now_ + SimTime(1));
}

/// What is free at a time that is not before now.
PlainCluster PlainRun::free_at(SimTime time) const {
    PlainCluster cluster = cluster_;
    for (const PlainJobState& job : jobs) {
        for (const PlainStint& stint : job.stints) {
            if (job.runs() && !stint.finish && expected_end(job) <= time) {
                cluster.release(job.job, stint.server, stint.grant);
            }
        }
    }
    for (const PlainPromise& promise : promises_) {
        if (promise.from > time || time >= promise.to) {
            continue;
        }
        auto grant = promise.places.grants.begin();
        for (const auto& [node, count] : promise.places) {
            const std::uint32_t server = tree_->server_of(node).index;
            cluster.claim(jobs[promise.job].job, server, count);
            for (Members i = 0; i < count && grant != promise.places.grants.end(); ++i) {
                cluster.take_what_is_left(server, *grant++);
            }
        }
    }
    return cluster;
}

/// The times at which the free amounts change.
std::set<SimTime> PlainRun::changes_of_plan() const {
    std::set<SimTime> times{now_};
    for (const PlainJobState& job : jobs) {
        if (job.runs()) {
            times.insert(expected_end(job));
        }
    }
    for (const PlainPromise& promise : promises_) {
        times.insert(promise.from);
        times.insert(promise.to);
    }
    times.erase(sim::never);
    return times;
}

/// Where `members` members of the job can run from this time until its expected end.
std::optional<PlainPlaces> PlainRun::place_from(std::size_t id,
                                                Members members,
                                                SimTime from) const {
    const SimTime run = expected_run(jobs[id]);
    PlainCluster least = free_at(from);
    for (const SimTime time : changes_of_plan()) {
        if (time <= from || (run != sim::never && time >= from + run)) {
            continue;
        }
        PlainCluster then = free_at(time);
        for (std::size_t server = 0; server < least.free.size(); ++server) {
            for (std::size_t r = 0; r < least.free[server].size(); ++r) {
                least.free[server][r] = std::min(least.free[server][r], then.free[server][r]);
            }
        }
        for (const auto& [where, pods] : then.pods_of) {
            least.pods_of[where] = std::max(least.pods_of[where], pods);
        }
        least.join_inside(then);
    }
    auto places = find_place(least, jobs[id].job, members);
    if (places) {
        places->grants = grants_at(least, jobs[id].job, *places);
    }
    return places;
}

/// The first time from now on at which there is a place.
std::optional<PlainPromise> PlainRun::earliest(std::size_t id, Members members) const {
    const SimTime run = expected_run(jobs[id]);
    std::set<SimTime> times;
    for (const SimTime time : changes_of_plan()) {
        times.insert(std::max(time, now_));
        if (run != sim::never && time - run + SimTime(1) > now_) {
            times.insert(time - run + SimTime(1));  // earlier, it would still run at that change
        }
    }
    for (const SimTime time : times) {
        if (auto places = place_from(id, members, time)) {
            return PlainPromise{id, time, run == sim::never ? run : time + run, std::move(*places)};
        }
    }
    return std::nullopt;
}

/// The number of its members that its quota admits; a job that its quota refuses is held back.
Members PlainRun::select(std::size_t id) {
    if (is_held_back(jobs[id].job)) {
        return 0;
    }
    const Members members = admitted(jobs[id].job);
    if (members == 0) {
        held_back_.push_back(jobs[id].job);
    }
    return members;
}

/// The waiting jobs that their quotas do not hold back.
std::vector<std::size_t> PlainRun::admitted_queue() {
    std::vector<std::size_t> ids = queue();
    std::erase_if(ids, [&](std::size_t id) { return is_held_back(jobs[id].job); });
    return ids;
}

/// Up to `promises_max` waiting jobs get a promise during this cycle; other jobs start beside
/// these. After a job could not start, others that ask for the same are only tried if they are
/// shorter.
void PlainRun::plan_anew(std::size_t promises_max) {
    promises_.clear();
    std::vector<std::pair<std::size_t, SimTime>> refused;
    for (const std::size_t id : admitted_queue()) {
        const bool in_vain = std::ranges::any_of(refused, [&](const auto& other) {
            return ask_the_same(jobs[other.first].job, jobs[id].job) &&
                   other.second <= expected_run(jobs[id]);
        });
        const bool may_be_promised = promises_.size() < promises_max;
        const Members members = in_vain && !may_be_promised ? 0 : select(id);
        if (members > 0 && may_be_promised) {
            auto promise = earliest(id, members);
            if (promise && promise->from == now_) {
                start(id, promise->places);
            } else if (promise) {
                promises_.push_back(std::move(*promise));
            }
        } else if (members > 0) {
            if (const auto places = place_from(id, members, now_)) {
                start(id, *places);
            } else if (members == jobs[id].job.size) {
                refused.emplace_back(id, expected_run(jobs[id]));
            }
        }
    }
    promises_.clear();
}

PlainPromise* PlainRun::promise_of(std::size_t id) {
    const auto promise = std::ranges::find(promises_, id, &PlainPromise::job);
    return promise == promises_.end() ? nullptr : &*promise;
}

void PlainRun::take_promise_back(std::size_t id) {
    if (promise_of(id) != nullptr) {
        std::erase_if(promises_, [&](const PlainPromise& promise) { return promise.job == id; });
        given_back_ = true;
    }
}

/// Starts the job now, or promises it the earliest place beside all other promises.
void PlainRun::settle(std::size_t id, std::size_t promises_max) {
    take_promise_back(id);
    jobs[id].unsettled = true;
    const Members members = select(id);
    auto promise = members > 0 ? earliest(id, members) : std::nullopt;
    if (promise && promise->from == now_) {
        start(id, promise->places);
    } else if (promises_.size() < promises_max && !promise && members == jobs[id].job.size) {
        jobs[id].unsettled = false;  // as things are, it never starts
    } else if (promises_.size() < promises_max && promise) {
        jobs[id].unsettled = false;
        promises_.push_back(std::move(*promise));
    }
}

/// Whether the promised place is free.
bool PlainRun::is_there(const PlainPromise& promise) const {
    const sim::Job& job = jobs[promise.job].job;
    PlainCluster cluster = cluster_;
    auto grant = promise.places.grants.begin();
    for (const auto& [node, count] : promise.places) {
        const std::uint32_t server = tree_->server_of(node).index;
        for (Members i = 0; i < count; ++i) {
            if (!cluster.has_amounts(job, server) || !cluster.may_spread(job, server)) {
                return false;
            }
            cluster.claim(job, server, 1);
            if (grant != promise.places.grants.end()) {
                if (!cluster.is_free(server, *grant)) {
                    return false;
                }
                cluster.take(server, *grant++);
            }
        }
    }
    return true;
}

/// Promises are kept. Once something was given back earlier than expected, each waiting job in turn
/// gives up its promise and gets the earliest one beside all others.
void PlainRun::keep_promises(std::size_t promises_max) {
    if (!given_back_) {
        std::vector<std::size_t> due;
        for (const std::size_t id : queue()) {
            const PlainPromise* promise = promise_of(id);
            if (jobs[id].unsettled || (promise != nullptr && promise->from <= now_)) {
                due.push_back(id);
            }
        }
        for (const std::size_t id : due) {
            const PlainPromise* promise = promise_of(id);
            const bool admits = promise != nullptr && select(id) >= count_of(promise->places);
            if (admits && promise->from == now_ && is_there(*promise)) {
                const PlainPlaces places = promise->places;
                std::erase_if(promises_,
                              [&](const PlainPromise& other) { return other.job == id; });
                start(id, places);
            } else {
                settle(id, promises_max);
            }
        }
    }
    if (given_back_) {
        const std::vector<std::size_t> order = admitted_queue();
        for (const std::size_t id : queue()) {
            if (std::ranges::find(order, id) == order.end()) {
                take_promise_back(id);
                jobs[id].unsettled = true;
            }
        }
        for (const std::size_t id : order) {
            settle(id, promises_max);
        }
        given_back_ = false;
    }
}

/// After a start with quotas, another cycle follows, since jobs that the start woke have not been
/// tried.
void PlainRun::fill_holes() {
    constexpr std::size_t no_limit = 1'000'000;
    const std::uint64_t before = starts_;
    if (case_.queue == "easy-backfill") {
        plan_anew(1);
    } else if (case_.queue == "replanned-backfill") {
        plan_anew(case_.depth > 0 ? case_.depth : 100);
    } else {
        keep_promises(case_.depth > 0 ? case_.depth : no_limit);
    }
    if (starts_ > before && case_.settings.quotas) {
        ask_for_cycle(now_);
    }
}

/// A cycle in which promises are kept. Only the first waiting job may preempt.
void PlainRun::cycle_of_promises() {
    const std::vector<std::size_t> all = admitted_queue();
    if (!all.empty() && admitted(jobs[all.front()].job) == 0) {
        preempt_for(all.front());
    }
    planned_at_ = now_;
    fill_holes();
    if (const std::vector<std::size_t> left = admitted_queue(); !left.empty()) {
        preempt_for(left.front());
    }
    std::optional<SimTime> next;
    for (const PlainPromise& promise : promises_) {
        if (promise.from > now_ + SimTime(1) && (!next || promise.from < *next)) {
            next = promise.from;
        }
    }
    if (next) {
        ask_for_cycle(*next);
    }
}

}  // namespace berth::tests

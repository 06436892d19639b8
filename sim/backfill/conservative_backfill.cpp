#include "sim/backfill/conservative_backfill.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "sim/backfill/expected_run.hpp"

namespace berth::sim {

using core::Members;

void ConservativeBackfill::resizes(JobId id) {
    PlannedBackfill::resizes(id);
    freed_ = true;  // it may hold less from now on
}

void ConservativeBackfill::waits(JobId id) {
    without_promise_.insert(id);
}

void ConservativeBackfill::leaves_queue(JobId id) {
    without_promise_.erase(id);
    never_start_.erase(id);
    if (plan().has_promise(id)) {
        take_back(id);
    }
}

void ConservativeBackfill::servers_changed() {
    PlannedBackfill::servers_changed();
    for (const JobId id : plan().promised()) {
        take_back(id);
        without_promise_.insert(id);
    }
    freed_ = true;
}

void ConservativeBackfill::take_back(JobId id) {
    plan().take_back(id);
    freed_ = true;
    known_.clear();
}

bool ConservativeBackfill::backfill() {
    begin();
    bool any_started = false;
    if (!freed_) {
        any_started = settle_due_and_new();
    }
    if (freed_) {  // earlier, or by a job that is due and could not start
        any_started = settle_everybody() || any_started;
    }
    return any_started;
}

/// Settles jobs whose promises are due and jobs without a promise, in the order of the queue.
bool ConservativeBackfill::settle_due_and_new() {
    std::vector<JobId> ids = plan().due();
    ids.insert(ids.end(), without_promise_.begin(), without_promise_.end());
    std::ranges::sort(ids, {}, [this](JobId id) { return key_of(id); });
    bool any_started = false;
    for (const JobId id : ids) {
        any_started = redeem(id) || settle(id) || any_started;
    }
    return any_started;
}

/// Settles all jobs, in the order of the queue. Jobs that their quotas hold back are not in the
/// queue, and get no promise.
bool ConservativeBackfill::settle_everybody() {
    known_.clear();
    without_promise_.merge(never_start_);  // quotas may hold some of them back now
    const std::vector<WaitingQueue::Place> in_order = waiting().in_order();
    std::set<JobId> may_start;
    for (const WaitingQueue::Place& place : in_order) {
        may_start.insert({place.job});
    }
    for (const JobId id : plan().promised()) {
        if (!may_start.contains(id)) {
            take_back(id);
            without_promise_.insert(id);
        }
    }
    bool any_started = false;
    for (const WaitingQueue::Place& place : in_order) {
        any_started = settle({place.job}) || any_started;
    }
    freed_ = false;  // what was given back meanwhile was offered to the jobs behind
    return any_started;
}

/// Starts a job on the place that was promised to it, if the place is free. Returns whether it is.
bool ConservativeBackfill::redeem(JobId id) {
    const Members admitted = plan().has_promise(id) ? select(id) : 0;
    auto attempt = admitted > 0 ? plan().redeem(id, job(id), admitted) : std::nullopt;
    if (attempt) {
        start(id, admitted, std::move(*attempt));
    }
    return attempt.has_value();
}

/// Starts a job, or promises it the earliest place that is free beside all other promises. Returns
/// whether it starts.
bool ConservativeBackfill::settle(JobId id) {
    if (plan().has_promise(id)) {
        take_back(id);
    }
    without_promise_.insert(id);
    const Members admitted = select(id);
    if (admitted == 0) {
        return false;
    }
    const SimTime duration = expected_run(actions().job(id));
    const bool may_promise = plan().promise_count() < reservations_max();
    if (!may_promise && not_before(id, admitted, duration) > actions().now()) {
        return false;  // then it may not start now, either
    }
    auto found = earliest(id, admitted, duration);
    if (found && found->at == actions().now()) {
        start(id, admitted, std::move(found->attempt));
        return true;
    }
    if (may_promise && found) {
        without_promise_.erase(id);
        plan().promise(id, job(id), std::move(*found), duration);
    } else if (may_promise && admitted == job(id).size) {
        never_start_.insert(without_promise_.extract(id));
    }
    return false;
}

/// The earliest time at which the job may find a place: as long as nothing is given back, it starts
/// no earlier than a shorter job that asks for the same.
SimTime ConservativeBackfill::not_before(JobId id, Members members, SimTime duration) {
    const SimTime now = actions().now();
    if (members < job(id).size) {
        return now;
    }
    std::map<SimTime, SimTime>& known = known_[waiting().alike(job(id))];
    while (!known.empty() && known.begin()->second <= now) {
        known.erase(known.begin());  // this excludes no time any more
    }
    const auto longer = known.upper_bound(duration);
    return longer == known.begin() ? now : std::prev(longer)->second;
}

std::optional<ReservationPlan::Start> ConservativeBackfill::earliest(JobId id,
                                                                     Members members,
                                                                     SimTime duration) {
    auto found = plan().earliest(job(id), members, duration, not_before(id, members, duration));
    if (found && members == job(id).size) {
        std::map<SimTime, SimTime>& known = known_[waiting().alike(job(id))];
        auto at = known.insert_or_assign(duration, found->at).first;
        for (++at; at != known.end() && at->second <= found->at;) {
            at = known.erase(at);
        }
    }
    return found;
}

}  // namespace berth::sim

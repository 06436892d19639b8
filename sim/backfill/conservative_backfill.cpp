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
    if (freed_) {  // before, or by one that is due and could not start
        any_started = settle_everybody() || any_started;
    }
    return any_started;
}

/// In the order of the queue.
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

/// In the order of the queue. Those that their quotas hold back are not in it, and promise nothing.
bool ConservativeBackfill::settle_everybody() {
    known_.clear();
    without_promise_.merge(never_start_);  // quotas may hold some of them back just now
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
    freed_ = false;  // what was given back in the course of it was offered to those behind
    return any_started;
}

/// Starts a job on the place that was promised to it, if it is there. Returns whether it is.
bool ConservativeBackfill::redeem(JobId id) {
    const Members admitted = plan().has_promise(id) ? select(id) : 0;
    auto attempt = admitted > 0 ? plan().redeem(id, job(id), admitted) : std::nullopt;
    if (attempt) {
        start(id, admitted, std::move(*attempt));
    }
    return attempt.has_value();
}

/// Starts a job, or promises it the earliest place that there is beside all other promises.
/// Returns whether it starts.
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
        return false;  // nor may it start now
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

/// Of jobs that ask for the same, one that runs for longer starts no earlier, while nothing is
/// given back.
SimTime ConservativeBackfill::not_before(JobId id, Members members, SimTime duration) {
    const SimTime now = actions().now();
    if (members < job(id).size) {
        return now;
    }
    std::map<SimTime, SimTime>& known = known_[waiting().alike(job(id))];
    while (!known.empty() && known.begin()->second <= now) {
        known.erase(known.begin());  // that is no news
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

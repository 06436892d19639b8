#include "sim/scheduler/kept_reservations.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "core/support/assert.hpp"
#include "sim/scheduler/expected_run.hpp"

namespace berth::sim {

using core::Members;

KeptReservations::KeptReservations(const Settings& settings,
                                   const Actions& actions,
                                   WaitingQueue& queue,
                                   Admission& admission,
                                   OwnJobs& jobs,
                                   StartJob start)
    : settings_(settings),
      actions_(actions),
      queue_(queue),
      admission_(admission),
      jobs_(jobs),
      start_(std::move(start)),
      plan_(settings.profile, actions.cluster().ledger()) {}

void KeptReservations::runs(JobId id, Members /*pods*/) {
    plan_.set_now(actions_.now());
    const JobState& state = actions_.job(id);
    for (const Stint& stint : state.record.stints) {
        if (!stint.finish) {
            plan_.runs(id, state.job(), stint.server, stint.members, expected_end(state));
        }
    }
}

void KeptReservations::stops(JobId id, std::span<const Stint> stints, Members /*pods*/) {
    plan_.set_now(actions_.now());
    for (const Stint& stint : stints) {
        freed_ = plan_.stops(id, stint.server) || freed_;
    }
}

void KeptReservations::resizes(JobId id) {
    stops(id, actions_.job(id).record.stints, 0);
    freed_ = true;
}

void KeptReservations::waits(JobId id) {
    without_promise_.insert(id);
}

void KeptReservations::leaves_queue(JobId id) {
    without_promise_.erase(id);
    hopeless_.erase(id);
    if (plan_.has_promise(id)) {
        take_back(id);
    }
}

void KeptReservations::servers_changed() {
    plan_.servers_changed();
    actions_.each_job([this](JobId id) {
        if (plan_.has_promise(id)) {
            take_back(id);
            without_promise_.insert(id);
        }
    });
    freed_ = true;
}

void KeptReservations::take_back(JobId id) {
    plan_.take_back(id);
    --promises_;
    freed_ = true;
    known_.clear();
}

QueueKey KeptReservations::key_of(JobId id) const {
    const OwnJob& own = jobs_[id];
    return queue_.in_order(own.owner, own.queued);
}

/// In the order of the queue: everybody, or while nothing is freed those that are due or new.
std::vector<JobId> KeptReservations::to_settle() {
    std::vector<JobId> ids;
    if (std::exchange(freed_, false)) {
        known_.clear();
        for (const WaitingQueue::Place& place : queue_.in_order()) {
            ids.push_back({place.job});
        }
        return ids;
    }
    ids = plan_.due();
    ids.insert(ids.end(), without_promise_.begin(), without_promise_.end());
    std::ranges::sort(ids, {}, [this](JobId id) { return key_of(id); });
    return ids;
}

void KeptReservations::cycle() {
    plan_.set_now(actions_.now());
    const bool all = freed_;
    for (const JobId id : to_settle()) {
        const Job& job = actions_.job(id).job();
        if (!all && plan_.has_promise(id)) {
            const Members admitted = queue_.select(job, jobs_[id].owner, jobs_[id].queued)
                                         ? admission_.admissible(id, job)
                                         : 0;
            auto attempt = admitted > 0 ? plan_.redeem(id) : std::nullopt;
            if (attempt && attempt->placed <= admitted) {
                --promises_;
                start_(id, admitted, std::move(*attempt));
                continue;
            }
        }
        settle(id);
    }
    if (!all) {
        return;
    }
    freed_ = false;  // what was given back in the course of it was offered to those behind
}

/// Starts a job, or promises it the earliest place that there is beside all other promises.
void KeptReservations::settle(JobId id) {
    const JobState& state = actions_.job(id);
    const Job& job = state.job();
    if (plan_.has_promise(id)) {
        take_back(id);
    }
    without_promise_.insert(id);
    hopeless_.erase(id);
    if (!queue_.select(job, jobs_[id].owner, jobs_[id].queued)) {
        return;  // its quota refused one of its class before it
    }
    const Members admitted = admission_.admissible(id, job);
    if (admitted == 0) {
        queue_.over_quota();
        return;
    }
    const SimTime duration = expected_run(state);
    auto start = earliest(id, admitted, duration);
    if (!start) {
        without_promise_.erase(id);
        hopeless_.insert(id);
        return;
    }
    if (start->at == actions_.now()) {
        without_promise_.erase(id);
        start_(id, admitted, std::move(start->attempt));
        return;
    }
    if (promises_ < settings_.profile.queue.reservations) {
        without_promise_.erase(id);
        ++promises_;
        plan_.promise(id, job, std::move(*start), duration);
    }
}

/// Of jobs that ask for the same, one that runs for longer starts no earlier, while nothing is
/// given back.
std::optional<ReservationPlan::Start> KeptReservations::earliest(JobId id,
                                                                 Members members,
                                                                 SimTime duration) {
    const Job& job = actions_.job(id).job();
    if (members < job.size) {
        return plan_.earliest(job, members, duration, actions_.now());
    }
    std::map<SimTime, SimTime>& known = known_[queue_.alike(job)];
    const auto longer = known.upper_bound(duration);
    const SimTime not_before = longer == known.begin()
                                   ? actions_.now()
                                   : std::max(actions_.now(), std::prev(longer)->second);
    auto start = plan_.earliest(job, members, duration, not_before);
    if (start) {
        auto at = known.insert_or_assign(duration, start->at).first;
        for (++at; at != known.end() && at->second <= start->at;) {
            at = known.erase(at);
        }
    }
    return start;
}

}  // namespace berth::sim

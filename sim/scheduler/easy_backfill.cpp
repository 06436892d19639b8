#include "sim/scheduler/easy_backfill.hpp"

#include <limits>
#include <map>
#include <span>
#include <utility>

#include "core/support/assert.hpp"
#include "sim/scheduler/expected_run.hpp"

namespace berth::sim {

using core::Members;

EasyBackfill::EasyBackfill(const Profile& profile,
                           const Actions& actions,
                           WaitingQueue& queue,
                           Admission& admission,
                           OwnJobs& jobs,
                           StartJob start)
    : actions_(actions),
      queue_(queue),
      admission_(admission),
      jobs_(jobs),
      start_(std::move(start)),
      plan_(profile, actions.cluster().ledger()) {}

void EasyBackfill::runs(JobId id, Members /*pods*/) {
    plan_.set_now(actions_.now());
    const JobState& state = actions_.job(id);
    for (const Stint& stint : state.record.stints) {
        if (!stint.finish) {
            plan_.runs(id, state.job(), stint.server, stint.members, expected_end(state));
        }
    }
}

void EasyBackfill::stops(JobId id, std::span<const Stint> stints, Members /*pods*/) {
    plan_.set_now(actions_.now());
    for (const Stint& stint : stints) {
        (void)plan_.stops(id, stint.server);
    }
}

void EasyBackfill::resizes(JobId id) {
    stops(id, actions_.job(id).record.stints, 0);
}

/// How many of a waiting job's members may start; 0 if its quota refuses it.
Members EasyBackfill::select(JobId id) {
    const Job& job = actions_.job(id).job();
    if (!queue_.select(job, jobs_[id].owner, jobs_[id].queued)) {
        return 0;  // it refused one of its class before it
    }
    const Members admitted = admission_.admissible(id, job);
    if (admitted == 0) {
        queue_.over_quota();
    }
    return admitted;
}

/// Starts a job that can start now; else the place at which it can is reserved for it.
void EasyBackfill::start_or_reserve(JobId id, Members admitted) {
    const JobState& state = actions_.job(id);
    const SimTime duration = expected_run(state);
    auto start = plan_.earliest(state.job(), admitted, duration, actions_.now());
    if (start && start->at == actions_.now()) {
        start_(id, admitted, std::move(start->attempt));
        any_started_ = true;
    } else if (start) {
        plan_.promise(id, state.job(), std::move(*start), duration);
        reserved_ = id;
    }
}

/// Starts a job that delays the first nowhere. Where one would, so would all of its kind that run
/// for longer than until that starts; where one that ends by then finds no place, none does.
void EasyBackfill::start_beside(JobId id, Members admitted, SimTime& most) {
    const Job& job = actions_.job(id).job();
    const SimTime duration = expected_run(actions_.job(id));
    if (auto attempt = plan_.start_now(job, admitted, duration)) {
        start_(id, admitted, std::move(*attempt));
        any_started_ = true;
    } else if (admitted == job.size) {
        const SimTime hole = plan_.promised_start(*reserved_) - actions_.now();
        most = duration > hole ? hole : SimTime(-1);
    }
}

bool EasyBackfill::backfill() {
    any_started_ = false;
    plan_.set_now(actions_.now());
    std::map<QueueKey, Next> next;
    const auto offer = [&](std::uint64_t kind, SimTime most, const QueueKey& behind) {
        if (const auto place = queue_.first_within(kind, most, behind)) {
            next.emplace(place->key, Next{{place->job}, kind, most});
        }
    };
    const QueueKey before_all{std::numeric_limits<std::int64_t>::min(), 0, 0};
    for (const std::uint64_t kind : queue_.kinds()) {
        offer(kind, never, before_all);
    }
    while (!next.empty()) {
        const QueueKey key = next.begin()->first;
        Next trying = next.begin()->second;
        next.erase(next.begin());
        const Members admitted = select(trying.id);
        if (admitted > 0 && reserved_) {
            start_beside(trying.id, admitted, trying.most);
        } else if (admitted > 0) {
            start_or_reserve(trying.id, admitted);
        }
        offer(trying.kind, trying.most, key);
    }
    if (reserved_) {
        plan_.take_back(*std::exchange(reserved_, std::nullopt));
    }
    return any_started_;
}

}  // namespace berth::sim

#include "experiments/program/forecast/start_watch.hpp"

#include <utility>

namespace berth::experiments {

StartWatch::StartWatch(std::unique_ptr<sim::Scheduler> scheduler,
                       sim::Actions& actions,
                       const std::vector<std::string>& names,
                       bool to_their_ends,
                       std::vector<WatchedStart>& starts,
                       sim::RunControl& run,
                       const sim::RunControl& all)
    : PassingScheduler(std::move(scheduler)),
      actions_(actions),
      to_their_ends_(to_their_ends),
      starts_(starts),
      run_(run),
      all_(all),
      left_(names.size()) {
    starts_.assign(names.size(), {});
    for (std::size_t i = names.size(); i > 0; --i) {
        expected_[names[i - 1]].push_back(i - 1);
    }
}

WatchedStart* StartWatch::watched(sim::JobId id) {
    const auto found = arrived_.find(actions_.job(id).record.arrival);
    return found == arrived_.end() ? nullptr : &starts_[found->second.index];
}

void StartWatch::one_is_done() {
    if (--left_ == 0) {
        run_.stop = true;
    }
}

void StartWatch::submitted(sim::JobId id) {
    const sim::JobRecord& record = actions_.job(id).record;
    if (const auto found = expected_.find(record.job.name);
        found != expected_.end() && !found->second.empty() && !record.job.servers) {
        arrived_.emplace(record.arrival, Arrived{found->second.back(), id});
        found->second.pop_back();
    }
    PassingScheduler::submitted(id);
}

/// What keeps each job from starting, after a cycle at time 0.
void StartWatch::ask() {
    for (const auto& [arrival, job] : arrived_) {
        const WatchedStart& start = starts_[job.index];
        const bool waits = start.start == sim::never && !start.over;
        (*waits_for_)[job.index] = waits ? why_waiting(job.id).reason : "";
    }
}

void StartWatch::woken(sim::Timer timer) {
    PassingScheduler::woken(timer);
    if (waits_for_ != nullptr && actions_.now() == sim::SimTime(0)) {
        ask();
    }
}

void StartWatch::event_handled() {
    PassingScheduler::event_handled();
    if (all_.stop) {
        run_.stop = true;
    }
}

void StartWatch::started(sim::JobId id, bool fresh) {
    if (WatchedStart* job = watched(id); job != nullptr && job->start == sim::never) {
        job->start = actions_.now();
        if (!to_their_ends_) {
            one_is_done();
        }
    }
    PassingScheduler::started(id, fresh);
}

void StartWatch::evicted(sim::JobId id, const sim::Stay& stay, sim::EvictionCause cause) {
    const bool by_others =
        cause == sim::EvictionCause::preempted || cause == sim::EvictionCause::revoked;
    if (WatchedStart* job = watched(id); job != nullptr && by_others) {
        job->preempted = true;
    }
    PassingScheduler::evicted(id, stay, cause);
}

void StartWatch::ended(sim::JobId id) {
    if (WatchedStart* job = watched(id); job != nullptr && !job->over) {
        job->over = true;
        if (to_their_ends_ || job->start == sim::never) {
            one_is_done();
        }
    }
    PassingScheduler::ended(id);
}

}  // namespace berth::experiments

#include "sim/run/simulation.hpp"

#include <utility>

#include "core/support/assert.hpp"
#include "sim/schedulers/profile/profile_scheduler.hpp"

namespace berth::sim {

Simulation::Simulation(core::Ledger& ledger,
                       PodSource& source,
                       const Settings& settings,
                       RecordSink& sink,
                       RunControl& control,
                       const MakeScheduler& make)
    : source_(source),
      settings_(settings),
      sink_(sink),
      control_(control),
      cluster_(ledger, settings.profile.inside),
      measures_(cluster_, settings),
      jobs_(cluster_, settings, events_, measures_, sink) {
    if (control.check_invariants) {
        invariants_.emplace(cluster_, jobs_, measures_, control);
    }
    for (const core::ServerId server : settings.absent) {
        (void)cluster_.take_down(server);
    }
    scheduler_ = make ? make(jobs_) : std::make_unique<ProfileScheduler>(settings, sink, jobs_);
    measures_.begin(*scheduler_);
    jobs_.begin(*scheduler_);
}

RunResult Simulation::run() {
    schedule_changes();
    schedule_next_arrival();
    if (settings_.sample_every > SimTime(0)) {
        request_sample();
    }
    RunResult result;
    while (auto event = events_.pop()) {
        if (event->kind == EventKind::sample && events_.empty() && settings_.until == never) {
            sample();  // nothing is left to wait for: the last sample shows the end of the work
            break;
        }
        if (event->at > settings_.until) {
            break;
        }
        if (control_.stop.load(std::memory_order_relaxed)) {
            result.interrupted = true;
            return result;
        }
        if (event->at != jobs_.now()) {
            measures_.settle(jobs_.now());
            if (invariants_) {
                invariants_->check_measures();
            }
            jobs_.set_now(event->at);
        }
        jobs_.fingerprint().event(*event);
        ++events_handled_;
        constexpr std::uint64_t step = 1024;
        if (events_handled_ % step == 0) {
            control_.events.fetch_add(step, std::memory_order_relaxed);
        }
        handle(*event);
        scheduler_->event_handled();
        jobs_.check_nobody_is_lost();
        if (invariants_) {
            invariants_->check(*event, events_handled_, *scheduler_);
        }
        sink_.event_handled(jobs_.now(), scheduler_->quotas());
    }
    measures_.settle(jobs_.now());
    if (invariants_) {
        invariants_->check_measures();
    }
    if (settings_.until != never) {
        BERTH_ASSERT(jobs_.now() <= settings_.until, "nothing happens after the end of the run");
        jobs_.set_now(settings_.until);  // also when all work ended before
        measures_.settle(jobs_.now());
    }
    jobs_.end_the_rest();
    measures_.add_to(result, jobs_.now());
    result.fingerprint = jobs_.fingerprint().value();
    result.events = events_handled_;
    result.decisions = scheduler_->decisions();
    result.end = jobs_.now();
    return result;
}

void Simulation::handle(const Event& event) {
    const JobId job{event.subject};
    switch (event.kind) {
        case EventKind::finish:
            jobs_.stop(job);
            break;
        case EventKind::node_change:
            change_node(settings_.node_changes[event.subject]);
            break;
        case EventKind::quota_change:
            scheduler_->change_quotas(settings_.quotas->changes[event.subject]);
            break;
        case EventKind::resize:
            jobs_.ask_resize(job);
            break;
        case EventKind::submit:
            submit();
            break;
        case EventKind::first_timer:
            scheduler_->woken(Timer::first);
            break;
        case EventKind::second_timer:
            scheduler_->woken(Timer::second);
            break;
        case EventKind::third_timer:
            scheduler_->woken(Timer::third);
            break;
        case EventKind::sample:
            sample();
            break;
    }
}

void Simulation::schedule_changes() {
    for (std::uint32_t i = 0; i < settings_.node_changes.size(); ++i) {
        events_.push(settings_.node_changes[i].at, EventKind::node_change, i);
    }
    for (std::uint32_t i = 0; settings_.quotas && i < settings_.quotas->changes.size(); ++i) {
        events_.push(settings_.quotas->changes[i].at, EventKind::quota_change, i);
    }
}

void Simulation::schedule_next_arrival() {
    next_job_ = source_.next();
    jobs_.set_more_arrivals(next_job_.has_value());
    if (next_job_) {
        BERTH_ASSERT(next_job_->submit >= jobs_.now(), "submit times never go back");
        events_.push(next_job_->submit, EventKind::submit, 0);
    }
}

void Simulation::submit() {
    BERTH_ASSERT(next_job_ && next_job_->submit == jobs_.now(), "a job comes when it is submitted");
    const JobId id = jobs_.arrive(std::move(*next_job_));
    schedule_next_arrival();
    measures_.arrived(jobs_.now(), jobs_.ended_jobs(), next_job_.has_value());
    if (settings_.sample_arrivals) {
        request_sample();
    }
    jobs_.admit(id);
}

void Simulation::change_node(const NodeChange& change) {
    if (cluster_.ledger().is_up(change.server) != change.up) {
        jobs_.change_server(change.server, change.up);
    }
}

void Simulation::request_sample() {
    if (!sample_pending_) {
        sample_pending_ = true;
        events_.push(jobs_.now(), EventKind::sample, 0);
    }
}

void Simulation::sample() {
    sample_pending_ = false;
    measures_.settle(jobs_.now());
    sink_.sample(jobs_.now(), measures_.sample());
    if (QuotaManager* quotas = scheduler_->quotas()) {
        sink_.quota_sample(jobs_.now(), *quotas);
    }
    const bool more_to_come = !events_.empty() || settings_.until != never;
    if (settings_.sample_every > SimTime(0) && more_to_come) {
        if (const auto at = tick_from(jobs_.now() + SimTime(1), settings_.sample_every)) {
            sample_pending_ = true;
            events_.push(*at, EventKind::sample, 0);
        }
    }
}

}  // namespace berth::sim

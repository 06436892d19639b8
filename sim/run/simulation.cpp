#include "sim/run/simulation.hpp"

#include <utility>

#include "core/support/assert.hpp"
#include "sim/profile/job_observer.hpp"
#include "sim/scheduler/scheduler_settings.hpp"
#include "sim/schedulers/profile/profile_scheduler.hpp"

namespace berth::sim {

std::unique_ptr<Scheduler> scheduler_of(const Settings& settings,
                                        RecordSink& sink,
                                        Actions& actions) {
    if (settings.scheduler != nullptr) {
        return settings.scheduler->make_scheduler(settings, sink, actions);
    }
    return std::make_unique<ProfileScheduler>(settings, sink, actions);
}

Simulation::Simulation(core::Ledger& ledger,
                       PodSource& source,
                       const Settings& settings,
                       RecordSink& sink,
                       RunControl& control,
                       const MakeScheduler& make,
                       FailureSource* failures)
    : source_(source),
      failures_(failures),
      settings_(settings),
      sink_(sink),
      control_(control),
      cluster_(ledger, settings.profile.inside, settings.drains),
      measures_(cluster_, settings),
      jobs_(cluster_, settings, events_, measures_, sink),
      outages_(cluster_, jobs_, measures_, sink, settings),
      drains_(cluster_, jobs_, outages_, sink, settings) {
    BERTH_ASSERT(failures == nullptr || !settings.failure_causes.empty(), "failures have causes");
    if (settings.on_failure.spares) {
        spares_.emplace(cluster_, jobs_, outages_, *settings.on_failure.spares);
    }
    if (control.check_invariants) {
        const Spares* spares = spares_ ? &*spares_ : nullptr;
        invariants_.emplace(cluster_, jobs_, outages_, drains_, spares, measures_, control);
    }
    for (const core::ServerId server : settings.absent) {
        (void)cluster_.take_down(server);
    }
    scheduler_ = make ? make(jobs_) : scheduler_of(settings, sink, jobs_);
    measures_.begin(*scheduler_);
    jobs_.begin(*scheduler_, spares_ ? &*spares_ : nullptr, &followers_);
}

/// Has the processor fetch what the next events are about while this one is handled, in three
/// steps: the subjects of the events that may come next; for the second event, the place of its
/// job; for the first event, the job itself, once.
[[gnu::always_inline]] inline void Simulation::fetch_what_comes() {
    if (const auto next = events_.next_subject(EventKind::finish); next && *next != fetched_) {
        jobs_.fetch(JobId{*next});
        fetched_ = next;
    }
    if (const auto second = events_.second_subject(EventKind::finish)) {
        jobs_.fetch_place(JobId{*second});
    }
    events_.fetch_subjects();
}

/// Has the processor fetch what the state of the first job leads to. This happens at the end of an
/// event: at its beginning, the state is still on its way, and reading it would mean waiting.
[[gnu::always_inline]] inline void Simulation::fetch_what_next_holds() const {
    if (const auto next = events_.next_subject(EventKind::finish)) {
        jobs_.fetch_what_it_holds(JobId{*next});
    }
}

RunResult Simulation::run() {
    schedule_changes();
    schedule_next_failure();
    schedule_next_arrival();
    keep_spares();
    if (settings_.sample_every > SimTime(0)) {
        request_sample();
    }
    RunResult result;
    while (auto event = events_.pop()) {
        if (is_over(*event)) {
            if (event->kind == EventKind::sample) {
                sample();  // the last one shows the end of the work
            }
            break;
        }
        if (event->at > settings_.until) {
            break;
        }
        if (control_.stop.load(std::memory_order_relaxed)) {
            result.interrupted = true;
            return result;
        }
        fetch_what_comes();
        if (event->at != jobs_.now()) {
            measures_.settle(jobs_.now());
            if (invariants_) {
                invariants_->check_measures();
            }
            jobs_.set_now(event->at);
            cluster_.go_to(event->at);
        }
        jobs_.fingerprint().event(*event);
        ++events_handled_;
        constexpr std::uint64_t step = 1024;
        if (events_handled_ % step == 0) {
            control_.events.fetch_add(step, std::memory_order_relaxed);
        }
        handle(*event);
        drains_.event_handled();
        scheduler_->event_handled();
        keep_spares();
        jobs_.check_nobody_is_lost();
        if (invariants_) {
            invariants_->check(*event, events_handled_, *scheduler_);
        }
        sink_.event_handled(jobs_.now(), scheduler_->quotas());
        fetch_what_next_holds();
    }
    measures_.settle(jobs_.now());
    if (invariants_) {
        invariants_->check_measures();
    }
    if (settings_.until != never) {
        BERTH_ASSERT(jobs_.now() <= settings_.until, "nothing happens after the end of the run");
        jobs_.set_now(settings_.until);  // also if all work ended before
        cluster_.go_to(settings_.until);
        measures_.settle(jobs_.now());
    }
    for (auto& [kept, reason] : followers_.take_rest()) {
        tell_watcher(kept.number);
        jobs_.end_without_coming(std::move(*kept.job), std::move(reason));
    }
    jobs_.end_the_rest();
    outages_.end();
    drains_.end();
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
            change_node(event.subject);
            break;
        case EventKind::quota_change:
            scheduler_->change_quotas(event.subject);
            break;
        case EventKind::resize:
            jobs_.ask_resize(job);
            break;
        case EventKind::submit:
            if (event.subject == 0) {
                submit_next();
            } else {
                submit_follower(event.subject);
            }
            break;
        case EventKind::first_timer:
            jobs_.ring(Timer::first);
            break;
        case EventKind::second_timer:
            jobs_.ring(Timer::second);
            break;
        case EventKind::third_timer:
            jobs_.ring(Timer::third);
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
    const std::vector<SimTime> quota_changes = settings_.quota_changes();
    for (std::uint32_t i = 0; i < quota_changes.size(); ++i) {
        events_.push(quota_changes[i], EventKind::quota_change, i);
    }
    schedule_drains();
}

/// After the numbers of the settings' changes and that of a failure, each window has two numbers.
/// At one instant, a window ends before another begins.
void Simulation::schedule_drains() {
    const std::vector<DrainWindow>& drains = settings_.drains;
    const auto first = static_cast<std::uint32_t>(settings_.node_changes.size() + 1);
    for (std::uint32_t i = 0; i < drains.size(); ++i) {
        events_.push(drains[i].until, EventKind::node_change, first + 2 * i + 1);
    }
    for (std::uint32_t i = 0; i < drains.size(); ++i) {
        events_.push(drains[i].at, EventKind::node_change, first + 2 * i);
    }
}

void Simulation::change_drain(std::uint32_t number) {
    if (number % 2 == 0) {
        drains_.begin(number / 2);
    } else {
        drains_.finish(number / 2);
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

/// Keeps new spares when all that leaves or comes at this instant has done so, before the scheduler
/// has its turn.
void Simulation::keep_spares() {
    if (spares_) {
        spares_->event_handled();
    }
    if (spares_ && !events_.has_before(jobs_.now(), EventKind::first_timer)) {
        spares_->settle();
    }
}

/// The source's next job is submitted, or is kept until the jobs before it have started or ended.
void Simulation::submit_next() {
    BERTH_ASSERT(next_job_ && next_job_->submit == jobs_.now(), "a job comes when it is submitted");
    const std::uint64_t number = submitted_++;
    if (followers_.keeps(*next_job_, number, jobs_.now())) {
        schedule_next_arrival();
        return;
    }
    const JobId id = arrive(std::move(*next_job_), number);
    schedule_next_arrival();
    admit(id);
}

void Simulation::submit_follower(std::uint32_t subject) {
    Followers::Kept kept = followers_.take(subject);
    admit(arrive(std::move(*kept.job), kept.number));
}

/// The job with this number in the source arrives now.
JobId Simulation::arrive(Job&& job, std::uint64_t number) {
    tell_watcher(number);
    return jobs_.arrive(std::move(job));
}

/// An observer that asked for a job by its number in the source is told the job's arrival number.
void Simulation::tell_watcher(std::uint64_t number) {
    if (watched_ && watched_->number == number) {
        watched_->observer->arrives_as(jobs_.arrivals());
        scheduler_->watch(jobs_.arrivals(), *watched_->observer);
    }
}

void Simulation::admit(JobId id) {
    measures_.arrived(
        jobs_.now(), jobs_.ended_jobs(), next_job_.has_value() || followers_.keeps_any());
    if (settings_.sample_arrivals) {
        request_sample();
    }
    jobs_.admit(id);
}

/// The numbers are those of the settings' changes, then that of the source's failures, then those
/// of the drains.
void Simulation::change_node(std::uint32_t number) {
    const auto changes = static_cast<std::uint32_t>(settings_.node_changes.size());
    if (number < changes) {
        outages_.change(settings_.node_changes[number]);
        return;
    }
    if (number > changes) {
        change_drain(number - changes - 1);
        return;
    }
    FailureEvent event = std::move(*next_failure_);
    jobs_.fingerprint().add(event.number << 1 | (event.begins ? 1 : 0));
    schedule_next_failure();
    outages_.happen(std::move(event));
}

void Simulation::schedule_next_failure() {
    next_failure_ = failures_ != nullptr ? failures_->next() : std::nullopt;
    if (next_failure_) {
        BERTH_ASSERT(next_failure_->at >= jobs_.now(), "times of failures never go back");
        events_.push(next_failure_->at,
                     EventKind::node_change,
                     static_cast<std::uint32_t>(settings_.node_changes.size()));
    }
}

bool Simulation::is_failure(const Event& event) const {
    return event.kind == EventKind::node_change && event.subject == settings_.node_changes.size();
}

/// Whether nothing that is to come, including this event, can change what becomes of a job.
/// Failures never end, nor do cycles of a scheduler that promises places which jobs that run for
/// ever do not leave. A job that waits for a server to come back is worth waiting for, but not a
/// job for which the whole cluster is too small, nor one that finds no place during a million
/// failures.
bool Simulation::is_over(const Event& event) {
    const bool failure = is_failure(event);
    const bool sample = event.kind == EventKind::sample;
    const bool cycle = event.kind == EventKind::third_timer;
    const std::size_t failures = next_failure_ && !failure ? 1 : 0;
    const std::size_t samples = sample_pending_ && !sample ? 1 : 0;
    const std::size_t cycles = jobs_.will_ring(Timer::third) && !cycle ? 1 : 0;
    if (settings_.until != never || !(failure || sample || cycle) ||
        events_.size() > failures + samples + cycles) {
        failures_alone_ = 0;
        cycles_alone_ = 0;
        return false;
    }
    // A cycle may let a job start until each waiting job has had its turn, and some cycles more
    // have passed.
    constexpr std::uint64_t cycles_max = 100;
    if (cycle) {
        ++cycles_alone_;
    } else if (failure && !outages_.nothing_is_out()) {
        cycles_alone_ = 0;  // a server that comes back may let a job start
    }
    if ((cycle || cycles > 0) && cycles_alone_ <= jobs_.waiting_jobs() + cycles_max) {
        return false;
    }
    constexpr std::uint64_t failures_max = 1'000'000;
    failures_alone_ += cycle ? 0 : 1;
    const bool hopeless = outages_.nothing_is_out() || failures_alone_ > failures_max;
    const bool over = !next_failure_ || !jobs_.more_to_come() || hopeless;
    return over && samples == 0;
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

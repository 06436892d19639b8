#include "sim/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/support/assert.hpp"

namespace berth::sim {

using core::Members;
using core::PlacedNode;

namespace {

/// What the service that jobs attain is counted by: GPUs, or CPUs where the cluster has none.
std::size_t service_resource(const core::Ledger& ledger) {
    for (const char* name : {"nvidia.com/gpu", "cpu"}) {
        const auto resource = ledger.topology().resources().find(name);
        if (resource && ledger.capacity(ledger.topology().root())[*resource] > 0) {
            return *resource;
        }
    }
    return 0;
}

}  // namespace

Simulation::Simulation(core::Ledger& ledger,
                       PodSource& source,
                       const Settings& settings,
                       RecordSink& sink,
                       RunControl& control)
    : ledger_(ledger),
      source_(source),
      settings_(settings),
      sink_(sink),
      control_(control),
      cluster_(ledger, settings.profile),
      placer_(settings.profile, cluster_, settings.attainable),
      utilization_(ledger, settings.window),
      metrics_(ledger.topology(), settings.attainable, settings.window),
      job_metrics_(ledger.topology(), settings.window),
      overtaking_(settings.retry ? settings.profile.queue.overtaking : Overtaking::free),
      waiting_(settings.quotas && settings.quotas->preemption),
      service_resource_(service_resource(ledger)),
      waiting_demand_(ledger.resource_count()) {
    if (settings.profile.queue.owners == OwnerMeasure::decayed_usage) {
        usage_.emplace(settings.profile.queue.half_life, ledger.capacity(ledger.topology().root()));
    }
    for (const core::ServerId server : settings.absent) {
        take_down(server);
    }
    if (GpuTimeLedger::has_gpus(ledger.topology())) {
        gpu_time_.emplace(cluster_, settings.window, settings.left_out());
    }
    if (overtaking_ == Overtaking::backfill) {
        BERTH_ASSERT(BackfillPlan::serves(settings.profile), "what cannot be planned is refused");
        plan_.emplace(settings.profile, ledger);
    }
    inside_meter_ = cluster_.inside().meter(settings.window);
    if (!settings.run_time.empty()) {
        nics_.emplace();
    }
    if (settings.quotas) {
        quotas_.emplace(*settings.quotas, ledger_);
        quota_metrics_.emplace(*quotas_, ledger_, settings.window);
        if (settings.quotas->recycler) {
            recycler_.emplace(*settings.quotas->recycler, *quotas_);
        }
        if (settings.quotas->preemption) {
            residents_.emplace(ledger_.topology().server_count());
        }
    }
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
        BERTH_ASSERT(event->at >= now_, "an event's time never goes back");
        if (event->at != now_) {
            settle();
            now_ = event->at;
        }
        fingerprint_.event(*event);
        ++events_handled_;
        constexpr std::uint64_t step = 1024;
        if (events_handled_ % step == 0) {
            control_.events.fetch_add(step, std::memory_order_relaxed);
        }
        handle(*event);
        schedule_quota_ticks();
        check_nobody_is_lost();
        sink_.event_handled(now_, quotas_ ? &*quotas_ : nullptr);
    }
    settle();
    if (settings_.until != never) {
        BERTH_ASSERT(now_ <= settings_.until, "nothing happens after the end of the run");
        now_ = settings_.until;  // also when all work ended before
        settle();
    }
    end_the_rest();
    BERTH_ASSERT(ended_jobs_ == arrivals_ && unwritten_.empty(),
                 "every job that came has its record");
    result.metrics = metrics_.result(utilization_, now_);
    if (!settings_.run_time.empty()) {
        metrics_.add_run_time(result.metrics);
    }
    if (gpu_time_) {
        result.gpu_time = gpu_time_->result();
        GpuTimeLedger::add_to(result.metrics, gpu_time_->measured());
    }
    if (inside_meter_) {
        inside_meter_->add_to(result.metrics);
    }
    if (quota_metrics_) {
        quota_metrics_->finish(now_);
        quota_metrics_->add_to(result.metrics);
    } else if (!settings_.node_changes.empty()) {
        metrics_.add_failures(result.metrics);
    }
    job_metrics_.add_to(result.metrics);
    result.kinds = job_metrics_.kinds();
    result.fingerprint = fingerprint_.value();
    result.events = events_handled_;
    result.decisions = placer_.decisions();
    result.end = now_;
    result.load = load_.result(now_);
    return result;
}

/// Accounts for the time up to now with everything as it was.
void Simulation::settle() {
    utilization_.settle(now_);
    load_.settle(now_, load_now());
    if (gpu_time_) {
        gpu_time_->settle(now_, [this](const Job& job, core::QuotaId quota) {
            return quotas_ && quotas_->admissible(quota, job, job.min_available, job.size) == 0;
        });
    }
    if (inside_meter_) {
        inside_meter_->settle(now_);
    }
}

Load Simulation::load_now() const {
    const core::NodeId root = ledger_.topology().root();
    const auto capacity = static_cast<double>(ledger_.capacity(root)[service_resource_]);
    const auto allocated = static_cast<double>(ledger_.allocated(root, service_resource_));
    return {static_cast<double>(running_pods_ + waiting_pods_),
            static_cast<double>(waiting_pods_),
            capacity > 0 ? allocated / capacity : 0};
}

void Simulation::check_nobody_is_lost() const {
    BERTH_ASSERT(waiting_.size() + running_jobs_ + ended_jobs_ == arrivals_,
                 "every job that came is waiting, running or has ended");
}

void Simulation::handle(const Event& event) {
    switch (event.kind) {
        case EventKind::finish:
            finish(event.subject);
            break;
        case EventKind::node_change:
            change_node(settings_.node_changes[event.subject]);
            break;
        case EventKind::quota_change:
            change_quotas(settings_.quotas->changes[event.subject]);
            break;
        case EventKind::resize:
            resize(event.subject);
            break;
        case EventKind::submit:
            submit(event.subject);
            break;
        case EventKind::quota_refresh:
            refresh_quotas();
            break;
        case EventKind::recycle:
            recycle();
            break;
        case EventKind::cycle:
            cycle();
            break;
        case EventKind::sample:
            sample();
            break;
    }
}

void Simulation::schedule_next_arrival() {
    next_job_ = source_.next();
    if (next_job_) {
        BERTH_ASSERT(next_job_->submit >= now_, "submit times never go back");
        events_.push(next_job_->submit, EventKind::submit, 0);
    }
}

void Simulation::request_cycle() {
    if (cycle_pending_) {
        return;
    }
    const auto at = tick_from(now_, settings_.period);
    if (!at) {
        return;  // beyond the end of time
    }
    cycle_pending_ = true;
    events_.push(*at, EventKind::cycle, 0);
}

std::uint32_t Simulation::new_state() {
    if (free_states_.empty()) {
        states_.emplace_back();
        return static_cast<std::uint32_t>(states_.size() - 1);
    }
    const std::uint32_t index = free_states_.back();
    free_states_.pop_back();
    states_[index] = {};
    return index;
}

/// Counts `pods` more of a job among those that wait, or, negative, fewer.
void Simulation::count_waiting(const State& state, Members pods) {
    const Job& job = state.record.job;
    for (std::size_t resource = 0; resource < job.demand.size(); ++resource) {
        waiting_demand_[resource] +=
            static_cast<double>(pods) * static_cast<double>(job.demand[resource]);
    }
    BERTH_ASSERT(pods > 0 || std::cmp_greater_equal(waiting_pods_, -pods),
                 "no more pods stop waiting than waited");
    waiting_pods_ += static_cast<std::size_t>(pods);
    if (gpu_time_ && pods > 0) {
        gpu_time_->waits(state.queued.number, job, state.quota);
    } else if (gpu_time_) {
        gpu_time_->leaves(state.queued.number, job);
    }
    if (quotas_) {
        quotas_->waiting(state.quota, pods);
    }
}

/// What a job's quota asks for, uses or has waiting is another.
void Simulation::quota_changed(const State& state) {
    if (!quotas_) {
        return;
    }
    quota_metrics_->changed(state.quota, now_);
    waiting_.wake(state.quota);
    if (settings_.profile.queue.owners == OwnerMeasure::dominant_share) {
        waiting_.set_owner_rank(state.quota, quotas_->dominant_share(state.quota));
    }
}

void Simulation::enqueue(State& state, std::uint32_t index) {
    const Job& job = state.record.job;
    BERTH_ASSERT(!state.record.start && !state.ended, "who waits neither runs nor has ended");
    state.queued = {0, settings_.profile.queue.rank(job, state.service), queue_entries_++};
    waiting_.add(job, state.quota, state.queued, index);
    count_waiting(state, job.size);
}

void Simulation::submit(std::uint32_t /*subject*/) {
    BERTH_ASSERT(next_job_ && next_job_->submit == now_, "a job comes when it is submitted");
    const std::uint32_t index = new_state();
    State& state = states_[index];
    state.record.job = std::move(*next_job_);
    state.arrival = arrivals_++;
    if (watched_ && watched_->arrival == state.arrival) {
        watched_->index = index;
    }
    state.left = state.record.job.duration;
    unwritten_.push_back(index);
    if (inside_meter_) {
        inside_meter_->submitted(state.record.job);
    }
    schedule_next_arrival();
    load_.arrived(now_, ended_jobs_, next_job_.has_value());
    if (settings_.sample_arrivals) {
        request_sample();
    }
    if (quotas_) {
        state.quota = quotas_->quota_of(state.record.job);
        if (auto reason = quotas_->rejects(state.quota)) {
            state.record.reason = std::move(*reason);
            end(index, Outcome::rejected);
            return;
        }
        quotas_->requested(state.quota, state.record.job, state.record.job.size);
    } else if (settings_.profile.queue.owners != OwnerMeasure::none) {
        state.quota = number_of_user(state.record.job.user);
    }
    if (starts_where_it_runs(state, index)) {
        return;
    }
    enqueue(state, index);
    schedule_next_resize(index);
    quota_changed(state);
    request_cycle();
}

/// A single pod's place on a server that has room for it.
Attempt Simulation::on_server(core::ServerId server) const {
    Attempt attempt;
    attempt.found = true;
    attempt.placed = 1;
    attempt.servers = {{ledger_.topology().node_of(server), 1}};
    return attempt;
}

bool Simulation::starts_where_it_runs(State& state, std::uint32_t index) {
    const Job& job = state.record.job;
    if (!job.server || !cluster_.has_room(job, *job.server)) {
        return false;
    }
    state.queued.number = queue_entries_++;
    count_waiting(state, job.size);  // for the instant, as of every pod that starts
    start(state, index, on_server(*job.server));
    return true;
}

void Simulation::start(State& state, std::uint32_t index, Attempt attempt) {
    JobRecord& record = state.record;
    BERTH_ASSERT(!record.start && !state.ended, "a job that starts was waiting");
    BERTH_ASSERT(attempt.found, "a job that starts has its place");
    BERTH_ASSERT(attempt.placed >= record.job.min_available && attempt.placed <= record.job.size,
                 "as many members start as the job needs, and no more than it has");
    count_waiting(state, -record.job.size);
    ++running_jobs_;
    record.start = now_;
    record.placed = attempt.placed;
    record.placement = std::move(attempt.placement);
    record.attainable = std::move(attempt.attainable);
    auto grants = cluster_.claim(record.job, attempt.servers, record.placement);
    FreeNumbers numbers(record.stints);
    for (std::size_t i = 0; i < attempt.servers.size(); ++i) {
        const PlacedNode& server = attempt.servers[i];
        start_stints(record, server, std::move(grants[i]), numbers);
        fingerprint_.placed(server);
        running_pods_ += static_cast<std::size_t>(server.count);
    }
    if (nics_) {
        slow_down(record, attempt.servers);
    }
    if (state.left) {
        const SimTime run_time = run_time_of(*state.left, record.run_time_factor);
        if (run_time <= never - now_) {
            state.finish = events_.push(now_ + run_time, EventKind::finish, index);
        }
    }
    note_usage(state, record.placed);
    note_expected(state, index, true);
    if (quotas_) {
        quotas_->used(state.quota, record.job, record.placed);
        // A group that starts without some of its members goes on without them.
        quotas_->requested(state.quota, record.job, record.placed - record.job.size);
        note_running(state, index, true);
        quota_changed(state);
    }
}

/// Members start on one server. Whose numbers do not follow each other have a stint of their own.
void Simulation::start_stints(JobRecord& record,
                              const PlacedNode& server,
                              std::vector<Grant> grants,
                              FreeNumbers& numbers) {
    for (Members left = server.count; left > 0;) {
        const FreeNumbers::Range range = numbers.take(left);
        Stint stint{ledger_.topology().server_of(server.node), range.count, now_, std::nullopt};
        stint.first = range.first;
        const auto end = grants.begin() + std::min<std::ptrdiff_t>(range.count, std::ssize(grants));
        stint.grants.assign(grants.begin(), end);
        grants.erase(grants.begin(), end);
        record.numbered = std::max(record.numbered, range.first + range.count);
        left -= range.count;
        note_grants(record.job, stint);
        record.stints.push_back(std::move(stint));
    }
}

/// What a job's run time is priced at, by where its members are as it starts.
void Simulation::slow_down(JobRecord& record, const std::vector<PlacedNode>& servers) {
    bool shares_nic = false;
    for (const Stint& stint : record.stints) {
        if (!stint.finish) {
            shares_nic = nics_->add(stint.server, stint.grants) || shares_nic;
        }
    }
    record.run_time_factor = run_time_factor(settings_.run_time,
                                             record.job.job_class,
                                             meeting_level(servers, ledger_.topology()),
                                             shares_nic);
    for (Stint& stint : record.stints) {
        if (!stint.finish) {
            stint.run_time_factor = record.run_time_factor;
        }
    }
}

void Simulation::note_grants(const Job& job, const Stint& stint) {
    for (const Grant& grant : stint.grants) {
        cluster_.inside().fold(grant, fingerprint_);
        if (inside_meter_) {
            inside_meter_->granted(job, grant);
        }
    }
}

/// Ends all stints of a running job, and gives back what they held.
void Simulation::stop_members(State& state, std::uint32_t index) {
    BERTH_ASSERT(state.record.start && !state.ended, "a job that stops was running");
    note_expected(state, index, false);
    for (Stint& stint : state.record.stints) {
        if (!stint.finish) {
            cluster_.release(state.record.job, stint.server, stint.members, stint.grants);
            if (nics_) {
                nics_->remove(stint.server, stint.grants);
            }
            stint.finish = now_;
            BERTH_ASSERT(std::cmp_greater_equal(running_pods_, stint.members),
                         "no more pods stop than ran");
            running_pods_ -= static_cast<std::size_t>(stint.members);
        }
    }
    ++releases_;
    BERTH_ASSERT(running_jobs_ > 0, "no more jobs stop than ran");
    --running_jobs_;
    note_usage(state, -state.record.placed);
    if (quotas_) {
        quotas_->used(state.quota, state.record.job, -state.record.placed);
        note_running(state, 0, false);
    }
}

void Simulation::finish(std::uint32_t index) {
    State& state = states_[index];
    stop_members(state, index);
    state.record.finish = now_;
    end(index, Outcome::finished);
    if (waiting_.size() > 0) {
        request_cycle();
    }
}

std::string Simulation::why_waiting(State& state) {
    const Job& job = state.record.job;
    if (quotas_) {
        std::string reason = quotas_->explain(state.quota, job, job.min_available);
        if (!reason.empty()) {
            return reason;
        }
    }
    if (inside_meter_) {
        inside_meter_->without_place(job, placer_.refusing_servers(job));
    }
    if (overtaking_ != Overtaking::free) {
        const Attempt attempt = placer_.find(job, job.size);
        if (attempt.found) {
            return "the queue's policy lets it overtake nobody here.";
        }
        return placer_.explain(job, attempt.placed);
    }
    return placer_.explain(job, state.record.placed);
}

void Simulation::end(std::uint32_t index, Outcome outcome) {
    State& state = states_[index];
    BERTH_ASSERT(!state.ended, "a job ends once");
    BERTH_ASSERT((outcome == Outcome::finished || outcome == Outcome::running) ==
                     state.record.start.has_value(),
                 "a job that finished, or runs at the end, has started");
    if (outcome == Outcome::waiting || outcome == Outcome::dropped) {
        state.record.reason = why_waiting(state);
    }
    state.record.outcome = outcome;
    if (state.resize) {
        events_.cancel(*state.resize);
    }
    if (quotas_ && (outcome == Outcome::finished || outcome == Outcome::dropped)) {
        const JobRecord& record = state.record;
        const Members asked = outcome == Outcome::finished ? record.placed : record.job.size;
        quotas_->requested(state.quota, record.job, -asked);
        quota_changed(state);
    }
    if (quotas_) {
        state.record.job.quota = quotas_->trees().name(state.quota);
        quota_metrics_->job(state.quota, state.record, now_);
    }
    ++ended_jobs_;
    state.ended = true;
    write_records();
}

/// Writes what has ended, up to the first job that has not.
void Simulation::write_records() {
    while (!unwritten_.empty() && states_[unwritten_.front()].ended) {
        const std::uint32_t index = unwritten_.front();
        const JobRecord& record = states_[index].record;
        metrics_.job(record, now_);
        job_metrics_.job(record, now_);
        sink_.job(record);
        unwritten_.pop_front();
        free_states_.push_back(index);
    }
}

void Simulation::end_the_rest() {
    const std::vector<std::uint32_t> rest(unwritten_.begin(), unwritten_.end());
    for (const std::uint32_t index : rest) {
        if (!states_[index].ended) {
            end(index, states_[index].record.start ? Outcome::running : Outcome::waiting);
        }
    }
}

}  // namespace berth::sim

#include "sim/run/job_life.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "core/index/fit_index.hpp"
#include "core/support/assert.hpp"
#include "sim/backfill/expected_run.hpp"
#include "sim/run/followers.hpp"

namespace berth::sim {

using core::Members;
using core::PlacedNode;
using core::ServerId;

namespace {

/// Whether a job may go from one phase of its life to another.
bool follows(JobPhase from, JobPhase to) {
    switch (from) {
        case JobPhase::waiting:
            return to == JobPhase::running || to == JobPhase::ended;
        case JobPhase::running:
            return to != JobPhase::running;
        case JobPhase::suspended:
            return to == JobPhase::running || to == JobPhase::ended;
        case JobPhase::ended:
            return false;
    }
    return false;
}

}  // namespace

JobLife::JobLife(Cluster& cluster,
                 const Settings& settings,
                 EventQueue& events,
                 Measures& measures,
                 RecordSink& sink)
    : cluster_(cluster),
      settings_(settings),
      events_(events),
      measures_(measures),
      sink_(sink),
      occupants_(cluster, settings, measures, fingerprint_) {}

void JobLife::set_now(SimTime now) {
    BERTH_ASSERT(now >= now_, "time never goes back");
    now_ = now;
}

bool JobLife::more_to_come() const {
    return more_arrivals_ || ended_jobs_ < jobs_.arrivals() ||
           (followers_ != nullptr && followers_->somebody_comes());
}

void JobLife::each_job(const std::function<void(JobId)>& visit) const {
    jobs_.for_each(visit);
}

void JobLife::check_nobody_is_lost() const {
    BERTH_ASSERT(waiting_jobs_ + running_jobs_ + suspended_jobs_ + ended_jobs_ == jobs_.arrivals(),
                 "every job that came is waiting, running, suspended or has ended");
    BERTH_ASSERT(held_.empty() && aside_.empty(),
                 "from one event to the next who runs holds what is his, and who waits nothing");
}

void JobLife::set_phase(JobState& state, JobPhase phase) {
    BERTH_ASSERT(follows(state.phase, phase), "a job's life goes on as it may");
    const auto count = [this](JobPhase of) -> std::uint64_t& {
        return of == JobPhase::waiting     ? waiting_jobs_
               : of == JobPhase::running   ? running_jobs_
               : of == JobPhase::suspended ? suspended_jobs_
                                           : ended_jobs_;
    };
    BERTH_ASSERT(count(state.phase) > 0, "no more jobs leave a phase than were in it");
    --count(state.phase);
    ++count(phase);
    state.phase = phase;
}

JobId JobLife::arrive(Job&& job) {
    const JobId id = jobs_.add(std::move(job));
    JobState& state = jobs_[id];
    state.left = state.job().duration;
    state.record.job.expected = expected_run(state);
    ++waiting_jobs_;
    measures_.submitted(state.job());
    return id;
}

void JobLife::admit(JobId id) {
    JobState& state = jobs_[id];
    if (auto reason = scheduler_->rejects(id)) {
        state.record.reason = std::move(*reason);
        end(id, Outcome::rejected);
        return;
    }
    come_to_wait(id);
    if (auto placement = place_from_the_start(state.job())) {
        take_places(id, std::move(*placement));
    } else {
        schedule_next_resize(id);
    }
    scheduler_->submitted(id);
}

/// Where a job that already runs has its places; nothing if it does not, or if there is no room.
std::optional<Placement> JobLife::place_from_the_start(const Job& job) const {
    if (!job.servers) {
        return std::nullopt;
    }
    BERTH_ASSERT(std::ssize(*job.servers) == job.size,
                 "each member of a job that runs has a place");
    std::vector<ServerId> servers = *job.servers;
    std::ranges::sort(servers);
    Placement placement;
    for (const ServerId server : servers) {
        const core::NodeId node = cluster_.topology().node_of(server);
        if (!placement.servers.empty() && placement.servers.back().node == node) {
            ++placement.servers.back().count;
        } else {
            placement.servers.push_back({node, 1});
        }
        const auto available = cluster_.ledger().available(node);
        if (!cluster_.has_room(job, server) ||
            core::fit_of(available, job.demand) < placement.servers.back().count) {
            return std::nullopt;
        }
    }
    std::ranges::sort(placement.servers, {}, &PlacedNode::node);
    if (job.group) {
        placement.tree = core::logical_tree(placement.servers, cluster_.topology());
    }
    return placement;
}

void JobLife::come_to_wait(JobId id, bool at_its_old_place) {
    JobState& state = jobs_[id];
    BERTH_ASSERT(!state.record.start && state.waits(), "who waits neither runs nor has ended");
    state.entry = at_its_old_place ? state.entry : entries_++;
    measures_.waits(id, state);
}

void JobLife::start(JobId id, Placement placement) {
    const bool fresh = jobs_[id].waits();
    take_places(id, std::move(placement));
    scheduler_->started(id, fresh);
}

void JobLife::take_places(JobId id, Placement placement) {
    JobState& state = jobs_[id];
    JobRecord& record = state.record;
    const bool joins = state.runs();
    const Members members = count_of(placement.servers);
    BERTH_ASSERT(members > 0, "somebody starts");
    BERTH_ASSERT((joins ? record.placed : 0) + members <= record.job.size,
                 "no more members start than the job has");
    BERTH_ASSERT(!joins || !state.is_on_its_way_out(),
                 "a job that is on its way out stays as it is");
    if (joins) {
        for (std::size_t i = 0; i < placement.servers.size(); ++i) {
            const PlannedGrants planned =
                placement.grants.empty() ? PlannedGrants() : PlannedGrants{placement.grants[i]};
            occupants_.join(state, placement.servers[i], planned, false, now_);
        }
        record.placed += members;
        if (stands_on_broken(state)) {
            hang(id);
        }
    } else {
        if (state.waits()) {
            measures_.leaves_queue(state);
        }
        set_phase(state, JobPhase::running);
        record.start = now_;
        if (!record.first_start) {
            record.first_start = now_;
            if (record.job.ties) {
                followers_->started(*record.job.ties, now_);
            }
        }
        record.placed = members;
        BERTH_ASSERT(placement.launch == SimTime(0) || record.job.training,
                     "only jobs that train are launched");
        state.restart = after(state.restart, placement.launch);
        record.placement = std::move(placement.tree);
        record.attainable = std::move(placement.attainable);
        occupants_.start(state, placement, now_);
    }
    if (!state.working_since && record.placed >= record.job.min_available) {
        begin_work(id);
    }
    occupants_.note(state, id, true);
}

void JobLife::stop(JobId id) {
    JobState& state = jobs_[id];
    const bool was_foreseen = state.stop.has_value();
    state.stop.reset();
    if (state.is_on_its_way_out() && *state.grace_over == now_) {
        evict_now(id, state.leaving);
        return;
    }
    const bool is_cut = was_foreseen && is_at_limit(state);
    if (!is_cut && state.job().training && goes_on_training(id)) {
        return;
    }
    if (asks_for_account(state)) {
        account_running(state);
    } else if (is_cut) {
        state.record.kept += stretch_of(state).spent().work;
    }
    if (is_cut) {
        state.record.job.duration = state.record.kept;
        state.record.stopped_at_limit = true;
        state.record.reason = "it was stopped at its time limit";
    } else if (const auto& training = state.job().training; training && !training->is_done()) {
        state.record.stopped_at_limit = true;
        state.record.reason = "it was stopped at the limit of its training";
    }
    state.record.kept = state.job().duration.value();  // exact to the nanosecond
    occupants_.note(state, id, false);
    occupants_.release_all(state, now_);
    state.record.finish = now_;
    end(id, Outcome::finished);
}

void JobLife::end_now(JobId id) {
    JobState& state = jobs_[id];
    BERTH_ASSERT(state.runs() && !state.job().duration && !state.stop,
                 "only a running job whose end is not known is told to end");
    const SimTime done = stretch_of(state).spent().work;
    state.record.job.duration = state.record.kept + done;
    stop(id);
}

void JobLife::evict(JobId id, EvictionCause cause, SimTime grace) {
    JobState& state = jobs_[id];
    BERTH_ASSERT(state.runs(), "only a running job is evicted");
    BERTH_ASSERT(grace >= SimTime(0) && (grace == SimTime(0) || !state.is_on_its_way_out()),
                 "a job has one grace");
    if (grace == SimTime(0)) {
        evict_now(id, cause);
        return;
    }
    const SimTime over = after(now_, grace);
    const bool works = state.working_since && !state.hung_since;
    const SimTime end = works ? after(*state.working_since, run_time_left(state)) : never;
    state.grace_over = over;
    state.leaving = cause;
    state.ends_in_grace = end <= over;
    if (!state.ends_in_grace) {
        if (state.stop) {
            events_.cancel(*state.stop);
        }
        state.stop = events_.push(over, EventKind::finish, id.index);
    }
}

/// Stops a running job and puts it back into the queue, with what is left of its work.
void JobLife::evict_now(JobId id, EvictionCause cause) {
    JobState& state = jobs_[id];
    JobRecord& record = state.record;
    BERTH_ASSERT(record.start && state.runs() && !aside_.contains(id),
                 "only a running job is evicted, and one that has its places");
    const std::string quota = scheduler_->quota_of(id);
    const SimTime hung_before = record.hung;
    occupants_.note(state, id, false);
    Stay stay = give_up_places(id, false);
    ++record.evictions[static_cast<std::size_t>(cause)];
    if (cause == EvictionCause::node_failed && settings_.tells_gain()) {
        state.unrecovered.push_back(record.interruptions.size());
        record.interruptions.push_back({now_, record.kept + stay.lost});
    }
    std::swap(record.stints, stay.stints);  // the sink is shown the stints that ended
    for (const Stint& stint : record.stints) {
        note_evicted(record, stint, cause);
    }
    sink_.evicted(record,
                  {now_, quota, cause, now_ - stay.since, stay.lost, record.hung - hung_before});
    std::swap(record.stints, stay.stints);
    fingerprint_.add(static_cast<std::uint64_t>(cause) << 32 | id.index);
    set_phase(state, JobPhase::waiting);
    record.start.reset();
    record.placed = 0;
    record.placement = {};
    const bool failed = cause == EvictionCause::node_failed;
    const bool drained = cause == EvictionCause::drained;
    if (drained) {
        drained_.push_back(id);
    }
    come_to_wait(id, drained || (failed && settings_.on_failure.keeps_place));
    scheduler_->evicted(id, stay, cause);
}

void JobLife::suspend(JobId id) {
    JobState& state = jobs_[id];
    BERTH_ASSERT(state.runs() && !state.is_on_its_way_out(), "only a running job is suspended");
    occupants_.note(state, id, false);
    const Stay stay = give_up_places(id, true);
    for (const Stint& stint : stay.stints) {
        note_left(state.record, stint);
    }
    set_phase(state, JobPhase::suspended);
    state.record.start.reset();
    scheduler_->suspended(id, stay);
}

void JobLife::resume(JobId id, Placement placement) {
    JobState& state = jobs_[id];
    BERTH_ASSERT(state.phase == JobPhase::suspended, "only a suspended job is resumed");
    BERTH_ASSERT(count_of(placement.servers) == state.record.placed, "all of its members go on");
    take_places(id, std::move(placement));
    scheduler_->started(id, false);
}

void JobLife::move(JobId id, Placement placement) {
    relocate(id, std::move(placement), false);
}

void JobLife::relocate(JobId id, Placement placement, bool keeps_work) {
    JobState& state = jobs_[id];
    BERTH_ASSERT(state.runs() && !state.is_on_its_way_out(), "only a running job moves");
    BERTH_ASSERT(count_of(placement.servers) == state.record.placed, "all of its members move");
    occupants_.note(state, id, false);
    const Stay stay = give_up_places(id, keeps_work);
    for (const Stint& stint : stay.stints) {
        note_left(state.record, stint);
    }
    set_phase(state, JobPhase::suspended);  // only for this instant
    take_places(id, std::move(placement));
    scheduler_->moved(id, stay);
}

void JobLife::leave_queue(JobState& state) {
    BERTH_ASSERT(state.waits(), "who is refused waits");
    measures_.leaves_queue(state);
}

void JobLife::reject(JobId id, std::string reason) {
    leave_queue(jobs_[id]);
    jobs_[id].record.reason = std::move(reason);
    end(id, Outcome::rejected);
}

void JobLife::drop(JobId id) {
    leave_queue(jobs_[id]);
    end(id, Outcome::dropped);
}

void JobLife::note_attempt(JobId id, Members placed, std::optional<core::LogicalTree> attainable) {
    JobState& state = jobs_[id];
    BERTH_ASSERT(state.waits(), "places are sought for who waits");
    state.record.placed = placed;
    state.record.attainable = std::move(attainable);
}

void JobLife::select_nodes(JobId id, std::shared_ptr<const NodeSelector> nodes) {
    BERTH_ASSERT(jobs_[id].waits(), "pods that run stay where they are");
    jobs_[id].record.job.nodes = std::move(nodes);
}

void JobLife::set_condition(JobId id, Condition::Type type, std::string message) {
    BERTH_ASSERT(!jobs_[id].ended(), "nothing is said of a job that has ended");
    core::CompactVector<Condition>& conditions = jobs_[id].record.conditions;
    // As in Kubernetes, a job has one condition of each type, the last one.
    const auto is_same = [&](const Condition& one) { return one.type == type; };
    conditions.erase(std::remove_if(conditions.begin(), conditions.end(), is_same),
                     conditions.end());
    conditions.push_back({now_, type, std::move(message)});
}

void JobLife::wake(SimTime at, Timer timer) {
    static constexpr std::array kinds{
        EventKind::first_timer, EventKind::second_timer, EventKind::third_timer};
    BERTH_ASSERT(at >= now_, "a timer rings now or later");
    const auto number = static_cast<std::size_t>(timer);
    rings_[number] = {at, events_.push(at, kinds[number], 0)};
}

void JobLife::call_off(Timer timer) {
    if (const auto ring = std::exchange(rings_[static_cast<std::size_t>(timer)], std::nullopt)) {
        (void)events_.cancel(ring->event);
    }
}

std::optional<SimTime> JobLife::next_ring() const {
    std::optional<SimTime> next;
    for (const std::optional<Ring>& ring : rings_) {
        if (ring) {
            next = next ? std::min(*next, ring->at) : ring->at;
        }
    }
    return next;
}

void JobLife::ring(Timer timer) {
    rings_[static_cast<std::size_t>(timer)].reset();
    scheduler_->woken(timer);
}

/// Tells the jobs that depend on a job that it has ended.
void JobLife::tell_followers(const JobRecord& record) {
    if (!record.first_start) {
        followers_->started(*record.job.ties, now_);
    }
    const bool succeeded = record.outcome == Outcome::finished && !record.stopped_at_limit;
    followers_->ended(*record.job.ties, succeeded, now_);
}

void JobLife::end_without_coming(Job&& job, std::string reason) {
    job.submit = now_;
    const JobId id = arrive(std::move(job));
    JobState& state = jobs_[id];  // the scheduler never heard of it
    state.record.reason = std::move(reason);
    state.record.outcome = Outcome::waiting;
    state.record.never_arrived = true;
    set_phase(state, JobPhase::ended);
    measures_.recorded(state.record, now_);
    sink_.job(state.record);
    jobs_.remove(id);
}

void JobLife::end(JobId id, Outcome outcome) {
    JobState& state = jobs_[id];
    JobRecord& record = state.record;
    BERTH_ASSERT(
        (outcome == Outcome::finished || outcome == Outcome::running) == record.start.has_value(),
        "a job that finished, or runs at the end, has started");
    if (outcome == Outcome::waiting || outcome == Outcome::dropped) {
        Refusal refusal = scheduler_->why_waiting(id);
        measures_.without_place(record.job, refusal.refusing_servers);
        record.reason = std::move(refusal.reason);
    }
    record.outcome = outcome;
    if (outcome == Outcome::dropped) {
        record.dropped = now_;
    }
    if (state.resize) {
        events_.cancel(*state.resize);
    }
    if (record.job.group && record.start) {
        take_in_those_that_joined_at_the_start(record, cluster_.topology());
    }
    if (record.job.ties && outcome != Outcome::running && outcome != Outcome::waiting) {
        tell_followers(record);  // a job that the end of the run stops has not ended
    }
    if (const std::string& quota = scheduler_->quota_of(id); &quota != &record.job.quota.text()) {
        record.job.quota = quota;
    }
    set_phase(state, JobPhase::ended);
    scheduler_->ended(id);
    measures_.recorded(record, now_);
    sink_.job(record);
    jobs_.remove(id);
}

void JobLife::end_the_rest() {
    std::vector<JobId> rest;
    jobs_.for_each([&](JobId id) { rest.push_back(id); });
    for (const JobId id : rest) {
        if (asks_for_account(jobs_[id]) && jobs_[id].runs()) {
            account_running(jobs_[id]);
        }
        end(id, jobs_[id].runs() ? Outcome::running : Outcome::waiting);
    }
    BERTH_ASSERT(ended_jobs_ == jobs_.arrivals(), "every job that came has its record");
    jobs_.free_states();
}

std::uint64_t JobLife::change_server(ServerId server,
                                     bool up,
                                     std::optional<std::uint32_t> cause,
                                     bool foreseen) {
    if (up) {
        scheduler_->server_changed(server, true, cluster_.bring_up(server), foreseen);
        return 0;
    }
    const std::vector<JobId> here = occupants_.on(server);
    BERTH_ASSERT(!foreseen || here.empty(), "a server is empty when it leaves for a drain");
    for (const JobId id : here) {
        measures_.interrupted(jobs_[id].job(), cause);
        evict_now(id, EvictionCause::node_failed);
    }
    scheduler_->server_changed(server, false, cluster_.take_down(server), foreseen);
    return here.size();
}

}  // namespace berth::sim

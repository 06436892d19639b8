/// What happens to a run besides pods that come and go: quotas and servers change, runtimes are
/// brought up to date, pods are revoked and preempted.

#include <algorithm>
#include <variant>

#include "core/support/assert.hpp"
#include "sim/preemption.hpp"
#include "sim/simulation.hpp"

namespace berth::sim {

using core::Members;
using core::QuotaId;

void Simulation::schedule_changes() {
    for (std::uint32_t i = 0; i < settings_.node_changes.size(); ++i) {
        events_.push(settings_.node_changes[i].at, EventKind::node_change, i);
    }
    for (std::uint32_t i = 0; quotas_ && i < settings_.quotas->changes.size(); ++i) {
        events_.push(settings_.quotas->changes[i].at, EventKind::quota_change, i);
    }
}

void Simulation::change_node(const NodeChange& change) {
    if (ledger_.is_up(change.server) == change.up) {
        return;
    }
    if (change.up) {
        bring_up(change.server);
        ++releases_;
    } else {
        std::vector<std::uint32_t> running_there;
        for (const std::uint32_t index : unwritten_) {
            const auto& stints = states_[index].record.stints;
            if (std::ranges::any_of(stints, [&](const Stint& stint) {
                    return stint.server == change.server && !stint.finish;
                })) {
                running_there.push_back(index);
            }
        }
        for (const std::uint32_t index : running_there) {
            evict(index, EvictionCause::node_failed);
        }
        take_down(change.server);
    }
    if (quotas_) {
        quotas_->capacity_changed();
        any_quota_changed();
    }
    if (waiting_.size() > 0) {
        request_cycle();
    }
}

std::vector<core::ServerId> Settings::left_out() const {
    std::vector<core::ServerId> servers = absent;
    std::erase_if(servers, [this](core::ServerId server) {
        return std::ranges::any_of(node_changes, [server](const NodeChange& change) {
            return change.server == server && change.up;
        });
    });
    std::ranges::sort(servers);
    return servers;
}

void Simulation::take_down(core::ServerId server) {
    const std::vector<core::Amount> background = cluster_.take_down(server);
    if (quotas_) {
        quotas_->background_changed(background, -1);
    }
}

void Simulation::bring_up(core::ServerId server) {
    const std::vector<core::Amount> background = cluster_.bring_up(server);
    if (quotas_) {
        quotas_->background_changed(background, 1);
    }
}

void Simulation::any_quota_changed() {
    quota_metrics_->all_changed(now_);
    if (settings_.profile.queue.owners == OwnerMeasure::dominant_share) {
        for (std::uint32_t i = 0; i < quotas_->trees().count(); ++i) {
            waiting_.set_owner_rank(QuotaId{i}, quotas_->dominant_share(QuotaId{i}));
        }
    }
}

namespace {

QuotaChangeRecord record_of(const QuotaChange& change) {
    if (const auto* created = std::get_if<QuotaChange::Create>(&change.what)) {
        return {change.at, "create", created->quota.name, std::nullopt};
    }
    if (const auto* updated = std::get_if<QuotaChange::Update>(&change.what)) {
        return {change.at, "update", updated->quota.name, std::nullopt};
    }
    if (const auto* patched = std::get_if<QuotaPatch>(&change.what)) {
        return {change.at, "update", patched->name, std::nullopt};
    }
    return {change.at, "delete", std::get<QuotaChange::Delete>(change.what).name, std::nullopt};
}

}  // namespace

void Simulation::change_quotas(const QuotaChange& change) {
    QuotaChangeRecord record = record_of(change);
    // Those that come by their namespace belong to the default group when their quota is deleted.
    const bool by_label_alone = std::holds_alternative<QuotaChange::Delete>(change.what);
    record.refusal = quotas_->apply(change, [&](const std::string& name) {
        return static_cast<std::size_t>(std::ranges::count_if(unwritten_, [&](std::uint32_t index) {
            const State& state = states_[index];
            return !state.ended &&
                   (state.record.job.quota == name ||
                    (!by_label_alone && quotas_->trees().name(state.quota) == name));
        }));
    });
    sink_.quota_changed(record);
    if (record.refusal) {
        return;
    }
    reassign_quotas();
    any_quota_changed();
    if (waiting_.size() > 0) {
        request_cycle();
    }
}

/// Moves jobs whose quota appeared, or is gone, to the one they belong to now.
void Simulation::reassign_quotas() {
    for (const std::uint32_t index : unwritten_) {
        State& state = states_[index];
        if (state.ended) {
            continue;
        }
        const Job& job = state.record.job;
        const QuotaId before = state.quota;
        const QuotaId after = quotas_->quota_of(job);
        if (before == after) {
            continue;
        }
        const bool running = state.record.start.has_value();
        const Members pods = running ? state.record.placed : job.size;
        if (!running) {
            waiting_.remove(job, before, state.queued);
            quotas_->waiting(before, -pods);
            quotas_->waiting(after, pods);
            waiting_.add(job, after, state.queued, index);
        }
        if (quotas_->trees().exists(before)) {
            quotas_->requested(before, job, -pods);
            quotas_->used(before, job, running ? -pods : 0);
        }
        quotas_->requested(after, job, pods);
        quotas_->used(after, job, running ? pods : 0);
        if (running) {
            note_running(state, index, false);
            note_usage(state, -pods);
        }
        state.quota = after;
        if (running) {
            note_running(state, index, true);
            note_usage(state, pods);
        }
    }
}

/// Ticks come only while something is to be seen at them.
void Simulation::schedule_quota_ticks() {
    if (!quotas_) {
        return;
    }
    if (waiting_.size() + running_jobs_ == 0 && !next_job_) {
        if (!refresh_pending_) {
            quota_metrics_->look_for_over_use(now_);  // no refresh comes to see its end
        }
        return;
    }
    if (!refresh_pending_ && quotas_->trees().changes() != refreshed_at_) {
        const auto at = tick_from(std::max(now_, next_refresh_), settings_.quotas->refresh);
        refresh_pending_ = at.has_value();
        if (at) {
            events_.push(*at, EventKind::quota_refresh, 0);
        }
    }
    if (recycler_ && !recycle_pending_ && recycler_->needs_a_look()) {
        const auto at =
            tick_from(std::max(now_, next_recycle_), settings_.quotas->recycler->period);
        recycle_pending_ = at.has_value();
        if (at) {
            events_.push(*at, EventKind::recycle, 0);
        }
    }
}

void Simulation::refresh_quotas() {
    refresh_pending_ = false;
    refreshed_at_ = quotas_->trees().changes();
    next_refresh_ = settings_.quotas->refresh > SimTime(0) ? now_ + SimTime(1) : now_;
    quota_metrics_->look_for_over_use(now_);
    const bool woken = waiting_.wake_if([&](std::uint32_t index) {
        const State& state = states_[index];
        const Job& job = state.record.job;
        return quotas_->admissible(state.quota, job, job.min_available, job.size) > 0;
    });
    if (woken) {
        request_cycle();
    }
}

void Simulation::recycle() {
    recycle_pending_ = false;
    next_recycle_ = now_ + SimTime(1);
    for (const QuotaId quota : recycler_->look(now_)) {
        std::vector<core::QuotaPod> pods;
        std::vector<std::uint32_t> indices;
        for (const QuotaManager::RunningJob& running : quotas_->running(quota)) {
            const JobRecord& record = states_[running.index].record;
            core::QuotaPod pod;
            pod.priority = record.job.priority;
            BERTH_ASSERT(record.start, "a job that its quota runs has started");
            pod.start = record.start->count();
            pod.request = core::ResourceList(record.job.demand.size());
            for (std::size_t r = 0; r < record.job.demand.size(); ++r) {
                if (record.job.demand[r] > 0) {
                    pod.request.set(r, record.job.demand[r] * record.placed);
                }
            }
            pod.preemptible = record.job.preemptible;
            pods.push_back(std::move(pod));
            indices.push_back(running.index);
        }
        for (const std::size_t i : recycler_->choose(quota, pods)) {
            evict(indices[i], EvictionCause::revoked);
        }
    }
}

/// Of the work that was done since the last start, what an eviction throws away.
SimTime Simulation::lost_of(SimTime done) const {
    const SimTime lost(
        static_cast<std::int64_t>(static_cast<double>(done.count()) * settings_.lost_work));
    return settings_.lost_work == 1 ? done : std::min(lost, done);  // as a double it may be more
}

/// Stops a running job and puts it at the end of the queue, with what is left of its work.
void Simulation::evict(std::uint32_t index, EvictionCause cause) {
    State& state = states_[index];
    JobRecord& record = state.record;
    BERTH_ASSERT(record.start && !state.ended, "only a running job is evicted");
    const std::string quota = quotas_ ? quotas_->trees().name(state.quota) : record.job.quota;
    Eviction eviction{now_, quota, cause, now_ - *record.start, SimTime(0)};
    const SimTime done = work_done_in(eviction.ran, record.run_time_factor);
    eviction.lost = lost_of(done);
    if (state.finish) {
        events_.cancel(*state.finish);
        state.finish.reset();
    }
    if (state.left) {
        *state.left -= done - eviction.lost;
        BERTH_ASSERT(*state.left >= SimTime(0), "no more work is done than there was");
    }
    state.service += service_of(record);
    // Members that left in a resize have had their time: they stay in the record.
    const auto running = std::ranges::stable_partition(
        record.stints, [](const Stint& stint) { return stint.finish.has_value(); });
    const std::vector<Stint> left(record.stints.begin(), running.begin());
    record.stints.erase(record.stints.begin(), running.begin());
    stop_members(state, index);
    ++record.evictions[static_cast<std::size_t>(cause)];
    record.ran_before += eviction.ran;
    record.lost += eviction.lost;
    for (Stint& stint : record.stints) {
        stint.lost = lost_of(work_done_in(*stint.finish - stint.start, stint.run_time_factor));
        note_evicted(record, stint, cause);
        if (quotas_) {
            quota_metrics_->evicted(state.quota, record.job, stint, cause);
        }
    }
    sink_.evicted(record, eviction);
    fingerprint_.add(static_cast<std::uint64_t>(cause) << 32 | index);
    if (quotas_) {
        quotas_->requested(state.quota, record.job, record.job.size - record.placed);
    }
    record.stints = left;
    record.start.reset();
    record.placed = 0;
    record.placement = {};
    enqueue(state, index);
    quota_changed(state);
    request_cycle();
}

/// Keeps who runs where, for the recycler and for preemption.
void Simulation::note_running(const State& state, std::uint32_t index, bool runs) {
    const JobRecord& record = state.record;
    // Of a single pod: it has one stint.
    const core::ServerId first =
        record.stints.empty() ? core::ServerId{0} : record.stints.back().server;
    if (runs) {
        quotas_->started(state.quota, record.job, state.arrival, index, first);
    } else {
        quotas_->stopped(state.quota, state.arrival);
    }
    if (!residents_) {
        return;
    }
    if (!record.job.group && runs) {
        residents_->add(first, state.quota);
    } else if (!record.job.group) {
        residents_->remove(first, state.quota);
    }
    if (!runs && cluster_.inside().has_shared()) {
        // Of what servers share, it may have given back what is missing anywhere.
        for (std::uint32_t i = 0; i < quotas_->trees().count(); ++i) {
            waiting_.wake(QuotaId{i});
        }
    }
    for (std::size_t i = 0; i < record.stints.size() && !runs; ++i) {
        wake_who_may_preempt_on(record.stints[i].server);
    }
}

/// What is given back there may be enough together with a victim.
void Simulation::wake_who_may_preempt_on(core::ServerId server) {
    if (residents_) {
        for (const QuotaId quota : residents_->on(server)) {
            waiting_.wake(quota);
        }
    }
}

/// Takes pods of lower priority of its quota out of the way of a single pod, and starts it.
bool Simulation::preempt_for(State& state, std::uint32_t index) {
    const Job& job = state.record.job;
    if (!settings_.quotas || !settings_.quotas->preemption || job.group ||
        !waiting_.may_preempt() ||
        (state.quota == core::QuotaTrees::default_quota &&
         !settings_.quotas->preemption->default_group)) {
        return false;
    }
    const auto start_of = [&](std::uint32_t other) {
        BERTH_ASSERT(states_[other].record.start, "a victim runs");
        return *states_[other].record.start;
    };
    const auto inside_serves = [&](const PreemptionChoice& choice) {
        std::vector<Grant> grants;
        for (const std::uint32_t victim : choice.victims) {
            for (const Stint& stint : states_[victim].record.stints) {
                if (stint.server == choice.server && !stint.finish) {
                    grants.insert(grants.end(), stint.grants.begin(), stint.grants.end());
                }
            }
        }
        return cluster_.serves_without(job, choice.server, grants);
    };
    const auto choice =
        choose_victims(job, state.quota, *quotas_, ledger_, start_of, inside_serves);
    if (!choice) {
        return false;
    }
    waiting_.taken();
    for (const std::uint32_t victim : choice->victims) {
        evict(victim, EvictionCause::preempted);
    }
    start(state, index, on_server(choice->server));
    return true;
}

}  // namespace berth::sim

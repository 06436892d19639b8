#include "sim/schedulers/profile/quota_admission.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <variant>

#include "core/support/assert.hpp"
#include "sim/backfill/expected_run.hpp"

namespace berth::sim {

using core::Members;
using core::QuotaId;

QuotaAdmission::QuotaAdmission(const Settings& settings,
                               RecordSink& sink,
                               Actions& actions,
                               WaitingQueue& queue,
                               OwnJobs& jobs,
                               Placer& placer,
                               OwnerChanges owner_changes)
    : settings_(settings),
      sink_(sink),
      actions_(actions),
      queue_(queue),
      jobs_(jobs),
      owner_changes_(std::move(owner_changes)),
      quotas_(*settings.quotas, actions.cluster().ledger()),
      metrics_(quotas_, actions.cluster().ledger(), settings.window, !settings.drains.empty()) {
    if (settings.quotas->recycler) {
        recycler_.emplace(*settings.quotas->recycler, quotas_);
    }
    if (settings.quotas->preemption) {
        residents_.emplace(actions.cluster().topology().server_count());
    }
    if (settings.quotas->gang_preemption) {
        gang_preemption_.emplace(
            *settings.quotas->gang_preemption, actions, placer, quotas_, jobs_);
    }
}

const std::string& QuotaAdmission::name_of(JobId id, const Job& /*job*/) {
    return quotas_.trees().name(quota(id));
}

std::optional<std::string> QuotaAdmission::rejects(JobId id) {
    return quotas_.rejects(quota(id));
}

void QuotaAdmission::asks(JobId id) {
    const Job& job = record(id).job;
    quotas_.requested(quota(id), job, job.size);
    const auto alike = alike_.try_emplace({job.quota, job.name_space}).first;
    alike->second.emplace(actions_.job(id).record.arrival, id);
    alike_of_.add(id, alike);
}

void QuotaAdmission::waits(JobId id) {
    quotas_.waiting(quota(id), record(id).job.size);
}

void QuotaAdmission::leaves_queue(JobId id) {
    quotas_.waiting(quota(id), -record(id).job.size);
}

/// The request, usage or waiting pods of a job's quota have changed.
void QuotaAdmission::changed(JobId id) {
    metrics_.changed(quota(id), actions_.now());
    queue_.wake(quota(id));
    if (settings_.profile.queue.owners == OwnerMeasure::dominant_share) {
        queue_.set_owner_rank(quota(id), quotas_.dominant_share(quota(id)));
    }
}

void QuotaAdmission::runs(JobId id) {
    const JobRecord& job = record(id);
    quotas_.used(quota(id), job.job, job.placed);
    // A group that starts without some of its members goes on without them.
    quotas_.requested(quota(id), job.job, job.placed - job.job.size);
    note_running(id);
    changed(id);
    wake_lenders(quota(id));
}

void QuotaAdmission::evicted(JobId id, const Stay& stay, EvictionCause cause) {
    const Job& job = record(id).job;
    Members pods = 0;
    for (const Stint& stint : stay.stints) {
        pods += stint.members;
    }
    quotas_.used(quota(id), job, -pods);
    note_stopped(id, stay.stints);
    for (const Stint& stint : stay.stints) {
        metrics_.evicted(quota(id), job, stint, cause);
    }
    quotas_.requested(quota(id), job, job.size - pods);
}

void QuotaAdmission::ended(JobId id) {
    const JobRecord& job = record(id);
    if (job.outcome == Outcome::finished) {
        quotas_.used(quota(id), job.job, -job.placed);
        note_stopped(id, job.stints);
    }
    if (job.outcome == Outcome::finished || job.outcome == Outcome::dropped) {
        const Members asked = job.outcome == Outcome::finished ? job.placed : job.job.size;
        quotas_.requested(quota(id), job.job, -asked);
        changed(id);
        const auto alike = alike_of_[id];
        alike->second.erase(actions_.job(id).record.arrival);
        if (alike->second.empty()) {
            alike_.erase(alike);
        }
        alike_of_.remove(id);
    }
    metrics_.job(quota(id), job, actions_.now());
}

Members QuotaAdmission::admissible(JobId id, const Job& job) {
    return quotas_.admissible(quota(id), job, job.min_available, job.size);
}

std::string QuotaAdmission::explain(JobId id) {
    const Job& job = record(id).job;
    return quotas_.explain(quota(id), job, job.min_available);
}

bool QuotaAdmission::may_grow(JobId id, Members more) {
    const Job& job = record(id).job;
    // Like that of a waiting pod, the request is part of what the quota asks for when it is tried.
    quotas_.requested(quota(id), job, more);
    return more <= 0 || quotas_.admissible(quota(id), job, more, more) == more;
}

void QuotaAdmission::not_resized(JobId id, Members more) {
    quotas_.requested(quota(id), record(id).job, -more);
}

void QuotaAdmission::resized(JobId id, Members more) {
    quotas_.used(quota(id), record(id).job, more);
    wake_lenders(quota(id));
}

void QuotaAdmission::asks_for_more(JobId id, Members more) {
    quotas_.requested(quota(id), record(id).job, more);
    quotas_.waiting(quota(id), more);
}

void QuotaAdmission::server_changed(bool up, const std::vector<core::Amount>& outside) {
    quotas_.background_changed(outside, up ? 1 : -1);
    quotas_.capacity_changed();
    any_quota_changed();
    if (gang_preemption_) {
        wake_everybody();
    }
}

void QuotaAdmission::any_quota_changed() {
    metrics_.all_changed(actions_.now());
    if (settings_.profile.queue.owners == OwnerMeasure::dominant_share) {
        for (std::uint32_t i = 0; i < quotas_.trees().count(); ++i) {
            queue_.set_owner_rank(QuotaId{i}, quotas_.dominant_share(QuotaId{i}));
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

bool QuotaAdmission::change_quotas(std::uint32_t number) {
    const QuotaChange& change = settings_.quotas->changes[number];
    QuotaChangeRecord what = record_of(change);
    // Jobs that have their quota by namespace belong to the default group when the quota is
    // deleted.
    const bool by_label_alone = std::holds_alternative<QuotaChange::Delete>(change.what);
    what.refusal = quotas_.apply(change, [&](const std::string& name) {
        std::size_t count = 0;
        for (const auto& [key, jobs] : alike_) {
            const QuotaId owner = quota(jobs.begin()->second);
            const bool counts =
                key.first == name || (!by_label_alone && quotas_.trees().name(owner) == name);
            count += counts ? jobs.size() : 0;
        }
        return count;
    });
    sink_.quota_changed(what);
    if (what.refusal) {
        return false;
    }
    reassign();
    any_quota_changed();
    if (gang_preemption_) {
        wake_everybody();
    }
    return true;
}

/// Moves jobs whose quota appeared, or is gone, to the quota to which they belong now.
void QuotaAdmission::reassign() {
    std::map<std::uint64_t, std::pair<JobId, QuotaId>> moved;  // in the order of arrival
    for (const auto& [key, jobs] : alike_) {
        const JobId first = jobs.begin()->second;
        const QuotaId after = quotas_.quota_of(record(first).job);
        for (const auto& [arrival, id] : jobs) {
            if (after == quota(first)) {
                break;
            }
            moved.emplace(arrival, std::pair(id, after));
        }
    }
    for (const auto& [arrival, move] : moved) {
        reassign(move.first, move.second);
    }
}

void QuotaAdmission::reassign(JobId id, QuotaId after) {
    const JobState& state = actions_.job(id);
    const Job& job = state.job();
    const QuotaId before = quota(id);
    const bool runs = state.runs();
    const Members pods = runs ? state.record.placed : job.size;
    if (!runs) {
        queue_.remove(job, before, jobs_[id].queued);
        quotas_.waiting(before, -pods);
        quotas_.waiting(after, pods);
        queue_.add(job, after, jobs_[id].queued, id.index, expected_run(state));
    }
    if (quotas_.trees().exists(before)) {
        quotas_.requested(before, job, -pods);
        quotas_.used(before, job, runs ? -pods : 0);
    }
    quotas_.requested(after, job, pods);
    quotas_.used(after, job, runs ? pods : 0);
    if (runs) {
        note_stopped(id, state.record.stints);
        owner_changes_(id, -pods);
    }
    jobs_[id].owner = after;
    if (runs) {
        note_running(id);
        owner_changes_(id, pods);
    }
}

/// Asks for ticks only while there is something to see at them.
void QuotaAdmission::event_handled() {
    if (!actions_.more_to_come()) {
        if (!refresh_pending_) {
            metrics_.look_for_over_use(actions_.now());  // no refresh comes to see its end
        }
        return;
    }
    if (!refresh_pending_ && quotas_.trees().changes() != refreshed_at_) {
        const auto at =
            tick_from(std::max(actions_.now(), next_refresh_), settings_.quotas->refresh);
        refresh_pending_ = at.has_value();
        if (at) {
            actions_.wake(*at, Timer::first);
        }
    }
    if (recycler_ && !recycle_pending_ && recycler_->needs_a_look()) {
        const auto at =
            tick_from(std::max(actions_.now(), next_recycle_), settings_.quotas->recycler->period);
        recycle_pending_ = at.has_value();
        if (at) {
            actions_.wake(*at, Timer::second);
        }
    }
}

bool QuotaAdmission::woken(Timer timer) {
    if (timer == Timer::first) {
        return refresh();
    }
    recycle();
    return false;
}

/// Brings runtimes up to date, and wakes waiting jobs that are admitted now.
bool QuotaAdmission::refresh() {
    refresh_pending_ = false;
    refreshed_at_ = quotas_.trees().changes();
    refresh_had_its_turn();
    metrics_.look_for_over_use(actions_.now());
    return queue_.wake_if([&](std::uint32_t index) {
        const JobId id{index};
        return admissible(id, record(id).job) > 0;
    });
}

/// At an instant there is one refresh, before the recycler and the cycle.
void QuotaAdmission::refresh_had_its_turn() {
    next_refresh_ =
        settings_.quotas->refresh > SimTime(0) ? actions_.now() + SimTime(1) : actions_.now();
}

void QuotaAdmission::recycler_had_its_turn() {
    refresh_had_its_turn();
    next_recycle_ = actions_.now() + SimTime(1);
}

void QuotaAdmission::begin_cycle() {
    recycler_had_its_turn();
}

void QuotaAdmission::recycle() {
    recycle_pending_ = false;
    recycler_had_its_turn();
    const std::vector<QuotaId> due = recycler_->look(actions_.now());
    for (const QuotaId over : due) {
        recycle(over);
    }
    if (!due.empty()) {
        metrics_.look_for_over_use(actions_.now());  // the refresh of this instant came before
    }
}

/// Takes back what a quota has borrowed for too long.
void QuotaAdmission::recycle(QuotaId from) {
    std::vector<core::QuotaPod> pods;
    std::vector<JobId> ids;
    for (const QuotaManager::RunningJob& running : quotas_.running(from)) {
        const JobRecord& job = record({running.index});
        core::QuotaPod pod;
        pod.priority = job.job.priority;
        BERTH_ASSERT(job.start, "a job that its quota runs has started");
        pod.start = job.start->count();
        pod.request = core::ResourceList(job.job.demand.size());
        for (std::size_t r = 0; r < job.job.demand.size(); ++r) {
            if (job.job.demand[r] > 0) {
                pod.request.set(r, job.job.demand[r] * job.placed);
            }
        }
        pod.preemptible = job.job.preemptible;
        pods.push_back(std::move(pod));
        ids.push_back({running.index});
    }
    for (const std::size_t i : recycler_->choose(from, pods)) {
        actions_.evict(ids[i], EvictionCause::revoked);
    }
}

}  // namespace berth::sim

// Whose place a job that is tried may take, and when it is worth while to look for victims again.

#include <span>
#include <utility>
#include <vector>

#include "sim/quota/preemption.hpp"
#include "sim/schedulers/profile/quota_admission.hpp"

namespace berth::sim {

using core::QuotaId;

/// Keeps who runs where, for the recycler and for preemption.
void QuotaAdmission::note_running(JobId id) {
    const JobState& state = actions_.job(id);
    // Of a single pod: it has one stint.
    const core::ServerId first = state.record.stints.back().server;
    quotas_.started(quota(id), state.job(), state.record.arrival, id.index, first);
    if (residents_ && may_be_preempted(state.job())) {
        residents_->add(first, quota(id));
    }
}

void QuotaAdmission::note_stopped(JobId id, const Stints& stints) {
    const JobState& state = actions_.job(id);
    quotas_.stopped(quota(id), state.record.arrival);
    if (gang_preemption_) {
        wake_everybody();
    }
    if (!residents_) {
        return;
    }
    if (may_be_preempted(state.job())) {
        residents_->remove(stints.back().server, quota(id));
    }
    for (const Stint& stint : stints) {
        if (stint.finish == actions_.now()) {  // others left in a resize, long ago
            left(stint.server);
        }
    }
}

void QuotaAdmission::wake_everybody() {
    for (std::uint32_t i = 0; i < quotas_.trees().count(); ++i) {
        queue_.wake(QuotaId{i});
    }
}

/// Where a quota uses what it has borrowed, those who have less than their min may take it back.
void QuotaAdmission::wake_lenders(QuotaId borrower) {
    if (!gang_preemption_ || !gang_preemption_->has_borrowed(borrower)) {
        return;
    }
    for (std::uint32_t i = 0; i < quotas_.trees().count(); ++i) {
        if (gang_preemption_->may_reclaim(QuotaId{i})) {
            queue_.wake(QuotaId{i});
        }
    }
}

/// There are victims where nobody was sought.
void QuotaAdmission::drain_is_over() {
    if (residents_ || gang_preemption_) {
        wake_everybody();
    }
}

/// What is given back there may be enough together with a victim; and what servers share, or with
/// victims anywhere, together with one on any server.
void QuotaAdmission::left(core::ServerId server) {
    if (gang_preemption_ || (residents_ && actions_.cluster().inside().has_shared())) {
        wake_everybody();
        return;
    }
    if (!residents_) {
        return;
    }
    for (const QuotaId resident : residents_->on(server)) {
        queue_.wake(resident);
    }
}

/// Takes others out of the way of a job, and starts it.
bool QuotaAdmission::preempt_for(JobId id) {
    if (settings_.quotas->preemptors() == Preemptors::none || !queue_.may_preempt()) {
        return false;
    }
    auto room = gang_preemption_ ? gang_preemption_->find(id) : make_room_on_a_server(id);
    if (!room) {
        return false;
    }
    if (gang_preemption_) {
        gang_preemption_->taken(room->victims);
    }
    queue_.taken();
    for (const JobId victim : room->victims) {
        actions_.evict(victim, EvictionCause::preempted);
    }
    actions_.start(id, std::move(room->placement));
    return true;
}

/// In-quota preemption: pods of lower priority of its quota make room for a single pod.
std::optional<MadeRoom> QuotaAdmission::make_room_on_a_server(JobId id) {
    const Job& job = record(id).job;
    if (job.group || (quota(id) == core::QuotaTrees::default_quota &&
                      !settings_.quotas->preemption->default_group)) {
        return std::nullopt;
    }
    const Cluster& cluster = actions_.cluster();
    PreemptionScene scene{
        cluster.ledger(),
        [&](std::uint32_t index) -> const JobRecord& { return record({index}); },
        [&](core::ServerId server) { return cluster.application_pods(job, server); },
        nullptr,
        [&](core::ServerId server) { return cluster.would_be_drained(job, server); }};
    if (cluster.asks_inside(job)) {
        scene.serves_without = [&](core::ServerId server, std::span<const std::uint32_t> gone) {
            std::vector<Grant> grants;
            for (const std::uint32_t victim : gone) {
                const Stint& stint = record({victim}).stints.back();  // of a single pod
                grants.insert(grants.end(), stint.grants.begin(), stint.grants.end());
            }
            return cluster.serves_without(job, server, grants);
        };
    }
    const auto choice = choose_victims(job, quota(id), quotas_, scene);
    if (!choice) {
        return std::nullopt;
    }
    MadeRoom room;
    for (const std::uint32_t victim : choice->victims) {
        room.victims.push_back({victim});
    }
    room.placement.servers = {{cluster.topology().node_of(choice->server), 1}};
    return room;
}

}  // namespace berth::sim

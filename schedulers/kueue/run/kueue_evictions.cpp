#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/support/assert.hpp"
#include "schedulers/kueue/run/kueue_admission.hpp"

namespace berth::sim {

namespace kueue = core::kueue;

using kueue::PendingId;

namespace {

std::string_view word_of(kueue::PreemptionReason reason) {
    constexpr std::array<std::string_view, 4> words{"InClusterQueue",
                                                    "InCohortReclamation",
                                                    "InCohortFairSharing",
                                                    "InCohortReclaimWhileBorrowing"};
    return words[static_cast<std::size_t>(reason)];
}

}  // namespace

/// A workload that was not told to leave keeps its quota, since new pods take the place of those
/// that it lost: to a failure, or to kube-scheduler.
void KueueAdmission::evicted(JobId id, const Stay& stay, EvictionCause /*cause*/) {
    ++happened_;
    note_freed(id, stay.stints);
    if (!known(id).held) {
        return;
    }
    if (known(id).leaving) {
        release(id, known(id).holding.why);  // whatever stops its pods, it was told to leave
    } else if (is_placed_here(id)) {
        lose_places(id);
    }
}

/// Other jobs may take its places, so it needs new ones.
void KueueAdmission::lose_places(JobId id) {
    release(id, QuotaEnd::node_failed);
    known(id).evicted = {"NodeFailures", kueue_time(actions_.now())};
}

/// Where places come with quota, workloads that found none may find some now.
void KueueAdmission::server_changed(bool up, const std::vector<core::Amount>& /*outside*/) {
    ++happened_;
    if (!topologies_) {
        return;
    }
    for (const JobId id : up ? std::vector<JobId>() : std::vector<JobId>(starting_)) {
        if (!topologies_->are_up(cache_.workload(*known(id).held))) {
            forget_task_of(id);
            lose_places(id);
            wait_for_quota(id);
            offer(id);
        }
    }
    for (std::uint32_t i = 0; i < cache_.queue_count(); ++i) {
        retry_later(kueue::QuotaNode{i});
    }
    cycle_wanted_ = true;
}

/// Where pods leave that were not placed here, other workloads may find places now, although no
/// quota is given back.
void KueueAdmission::note_freed(JobId id, const Stints& stints) {
    if (!topologies_ || is_placed_here(id)) {
        return;
    }
    const std::set<kueue::FlavorId> flavors = topologies_->flavors_on(stints);
    const auto is_one = [&](kueue::FlavorId flavor) { return flavors.contains(flavor); };
    for (std::uint32_t i = 0; i < cache_.queue_count() && !flavors.empty(); ++i) {
        const kueue::QuotaNode queue{i};
        if (std::ranges::any_of(cache_.queue(queue).groups, [&](const auto& group) {
                return std::ranges::any_of(group.flavors, is_one);
            })) {
            retry_later(queue);
            cycle_wanted_ = true;
        }
    }
}

/// Returns whether the target was not on its way out before.
bool KueueAdmission::preempt(const Preemption& preemption) {
    const kueue::Target& target = preemption.target;
    const auto holder = holders_.find(target.workload);
    if (holder == holders_.end() || known(holder->second).leaving) {
        return false;
    }
    const JobId id = holder->second;
    constexpr std::uint32_t too_often = 10;
    constexpr std::uint32_t for_ever = 1000;
    if (++known(id).preemptions == for_ever) {
        hopeless_.push_back(id);
    }
    if (++preempted_then_[id] == too_often) {
        rests_until_ = after(actions_.now(), std::chrono::seconds(1));  // this would go on for ever
    }
    Known& job = known(id);
    const kueue::Time now = kueue_time(actions_.now());
    job.evicted = {"Preempted", now};
    job.preempted = {std::string(word_of(target.reason)), now};
    job.holding.why = QuotaEnd::preempted;
    job.holding.preemptor = actions_.job(preemption.by).job().name;
    job.holding.preemptor_queue = cache_.queue(*known(preemption.by).queue).name;
    job.holding.reason = word_of(target.reason);
    meter_.preempted(actions_.job(id).job(), lines_of(job));
    send_away(id, EvictionCause::preempted);
    return true;
}

void KueueAdmission::send_away(JobId id, EvictionCause cause) {
    Known& job = known(id);
    BERTH_ASSERT(job.held && job.evicted, "who is sent away holds quota, and is told why");
    job.holding.told = actions_.now();
    forget_task_of(id);
    if (actions_.job(id).runs()) {
        job.leaving = true;
        cache_.set_evicted(*job.held, *job.evicted, job.preempted);
        actions_.evict(id, cause, settings_.grace);
    } else {
        stop_seeking_places(id);
        release(id, job.holding.why);
        wait_for_quota(id);
        offer(id);
    }
}

void KueueAdmission::stop_seeking_places(JobId id) {
    if (lets_in(id)) {
        places_.take_out(id);
    }
}

/// Whether a job that timed out would time out for ever: it did not work and no other job runs, no
/// server is out, nothing happened on the servers since the job was admitted, and no object is to
/// change. After very many timeouts this is assumed of any job, because a server may stay out.
bool KueueAdmission::is_in_vain(JobId id) {
    const Known& job = known(id);
    constexpr std::uint32_t for_ever = 1000;
    if (job.timeouts >= for_ever) {
        return true;
    }
    const Cluster& cluster = actions_.cluster();
    if (job.awaited_since != happened_ || changes_done_ < settings_.changes.size() ||
        !cluster.calendar().empty()) {
        return false;
    }
    bool runs = false;
    actions_.each_job([&](JobId other) {
        const JobState& state = actions_.job(other);
        runs = runs || (state.runs() && (other != id || state.working_since.has_value()));
    });
    bool all_up = true;
    for (std::uint32_t i = 0; i < cluster.topology().server_count(); ++i) {
        all_up = all_up && cluster.ledger().is_up(core::ServerId{i});
    }
    return !runs && all_up;
}

/// Not all pods of a job run in time after its admission: it is queued again behind the others,
/// after a while.
void KueueAdmission::time_out(JobId id) {
    Known& job = known(id);
    const WaitForPodsReady& rule = *settings_.pods_ready;
    const bool too_often = rule.give_up_after && job.timeouts >= *rule.give_up_after;
    const bool is_given_up = too_often || is_in_vain(id);
    SimTime pause = rule.backoff;
    for (std::uint32_t i = 0; i < job.timeouts && pause < rule.most; ++i) {
        pause = after(pause, pause);
    }
    job.pause = std::min(pause, rule.most);
    ++job.timeouts;
    job.evicted = {"PodsReadyTimeout", kueue_time(actions_.now())};
    meter_.timed_out(actions_.job(id).job());
    stop_pods(id);
    if (is_given_up) {
        job.message =
            too_often ? "Deactivated: its pods were not ready in time too often"
                      : "given up: its pods found no place although no other job was in their way";
        actions_.drop(id);
        return;
    }
    job.message = "Its pods were not ready in time: it is offered again after a while";
    actions_.set_condition(id, Condition::Type::blocked, job.message);
}

/// A job that was not ready in time waits for quota. Some of its pods may have places.
void KueueAdmission::stop_pods(JobId id) {
    Known& job = known(id);
    if (actions_.job(id).runs()) {
        job.leaving = true;
        job.holding.why = QuotaEnd::not_ready;
        actions_.evict(id, EvictionCause::revoked);
    } else {
        stop_seeking_places(id);
        release(id, QuotaEnd::not_ready);
        waits(id);
    }
}

/// Gives up hopeless jobs: a run in which two workloads preempt each other in turn would not end.
void KueueAdmission::give_up_hopeless() {
    for (const JobId id : std::exchange(hopeless_, {})) {
        if (!queues_.waits(PendingId{id.index})) {
            hopeless_.push_back(id);  // it runs on during its grace
            continue;
        }
        (void)queues_.remove(PendingId{id.index});
        known(id).message =
            fmt::format("given up after {} preemptions: workloads preempt each other in turn",
                        known(id).preemptions);
        actions_.drop(id);
    }
}

}  // namespace berth::sim

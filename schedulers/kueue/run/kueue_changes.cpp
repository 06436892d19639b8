#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "schedulers/kueue/run/kueue_admission.hpp"

namespace berth::sim {

namespace kueue = core::kueue;

using kueue::StopPolicy;

bool KueueAdmission::change_quotas(std::uint32_t number) {
    const KueueChange& change = settings_.changes[number];
    change_trees(change);
    for (const auto& [name, queue] : change.local_queues) {
        KueueLocalQueue& changed = local_queues_.at(name);
        changed = queue;
        if (ledger_) {
            ledger_->set_weight(ledger_ids_.at(&changed), queue.weight);
        }
    }
    ++changes_done_;
    hold_back_stopped();
    offer_held_back();
    drain();
    cycle_wanted_ = true;
    return false;
}

void KueueAdmission::change_trees(const KueueChange& change) {
    cache_.replace(change.queues, change.cohorts);
    queues_.objects_changed();
    for (const auto& [root, queue] : std::exchange(retrying_, {})) {
        retrying_.emplace(cache_.tree().root(queue), queue);
    }
    for (const kueue::ClusterQueue& queue : change.queues) {
        retry_later(*cache_.find_queue(queue.name));
    }
    for (const kueue::Cohort& cohort : change.cohorts) {
        const auto node = cache_.find_cohort(cohort.name);
        for (std::uint32_t i = 0; node && i < cache_.queue_count(); ++i) {
            if (cache_.tree().root(kueue::QuotaNode{i}) == cache_.tree().root(*node)) {
                retry_later(kueue::QuotaNode{i});
            }
        }
    }
}

void KueueAdmission::hold_back_stopped() {
    std::vector<JobId> stopped;
    actions_.each_job([&](JobId id) {
        const Known& job = known(id);
        if (job.local != nullptr && job.local->stop != StopPolicy::none &&
            queues_.waits(kueue::PendingId{id.index})) {
            stopped.push_back(id);
        }
    });
    for (const JobId id : stopped) {
        (void)queues_.remove(kueue::PendingId{id.index});
        known(id).held_back = true;
    }
}

void KueueAdmission::offer_held_back() {
    std::vector<JobId> held_back;
    actions_.each_job([&](JobId id) {
        if (known(id).held_back) {
            held_back.push_back(id);
        }
    });
    for (const JobId id : held_back) {
        offer(id);
    }
}

void KueueAdmission::drain() {
    std::vector<std::pair<JobId, std::string>> drained;
    actions_.each_job([&](JobId id) {
        const Known& job = known(id);
        if (!job.held || job.leaving) {
            return;
        }
        if (cache_.queue(*job.queue).stop == StopPolicy::hold_and_drain) {
            drained.emplace_back(id, "ClusterQueue");
        } else if (job.local != nullptr && job.local->stop == StopPolicy::hold_and_drain) {
            drained.emplace_back(id, "LocalQueue");
        }
    });
    for (const auto& [id, queue] : drained) {
        known(id).evicted = {queue + "Stopped", kueue_time(actions_.now())};
        known(id).holding.why = QuotaEnd::stopped;
        known(id).message = fmt::format("The {} is stopped", queue);
        actions_.set_condition(id, Condition::Type::blocked, known(id).message);
        send_away(id, EvictionCause::revoked);
    }
}

std::string KueueAdmission::why_stopped(const Known& job) const {
    if (cache_.queue(*job.queue).stop != StopPolicy::none) {
        return fmt::format("ClusterQueue {} is stopped", cache_.queue(*job.queue).name);
    }
    return job.held_back ? "Its LocalQueue is stopped" : "";
}

}  // namespace berth::sim

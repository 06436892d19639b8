#include <fmt/format.h>

#include "sim/backfill/expected_run.hpp"
#include "sim/quota/quota_manager.hpp"
#include "sim/schedulers/profile/profile_scheduler.hpp"

namespace berth::sim {

using core::Violation;

/// Checks all that the scheduler keeps: its queue, its quotas, its indexes, its plans.
std::optional<Violation> ProfileScheduler::find_violation() {
    std::vector<WaitingQueue::Waits> waiting;
    actions_.each_job([&](JobId id) {
        const JobState& state = actions_.job(id);
        if (state.waits() && admission_->lets_in(id)) {
            waiting.push_back(
                {id.index, &state.job(), jobs_[id].owner, jobs_[id].queued, expected_run(state)});
        }
    });
    if (auto violation = queue_.find_violation(waiting)) {
        return violation;
    }
    QuotaManager* quotas = admission_->quotas();
    for (const WaitingQueue::Waits& waits : waiting) {
        const bool by_share = settings_.profile.queue.owners == OwnerMeasure::dominant_share;
        const std::int64_t share =
            by_share && quotas != nullptr ? quotas->dominant_share(waits.quota) : 0;
        if (by_share && queue_.owner_rank(waits.quota) != share) {
            return Violation{"a quota's jobs rank by its dominant share",
                             fmt::format("job {}", waits.job->name),
                             fmt::format("{}", queue_.owner_rank(waits.quota)),
                             fmt::format("{}", share)};
        }
    }
    if (auto violation = admission_->find_violation()) {
        return violation;
    }
    for (const auto& follower : followers_) {
        if (auto violation = follower->find_violation()) {
            return violation;
        }
    }
    return placer_.find_violation();
}

}  // namespace berth::sim

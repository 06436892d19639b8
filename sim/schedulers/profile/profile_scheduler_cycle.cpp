/// The scheduling cycle of a profile: the order in which waiting jobs have their turn, and the
/// outcome of each turn.

#include <optional>
#include <utility>
#include <vector>

#include "core/support/assert.hpp"
#include "sim/backfill/expected_run.hpp"
#include "sim/schedulers/profile/profile_scheduler.hpp"

namespace berth::sim {

using core::Members;

/// Ranks owners by what each has used until now.
void ProfileScheduler::rank_owners() {
    if (usage_ != nullptr) {
        queue_.rank_owners([&](core::QuotaId owner) { return usage_->at(owner); });
    }
}

/// Lets the sorter order all waiting jobs. Ranks change no more than they must: a job that is
/// already behind the one before it keeps its rank.
void ProfileScheduler::sort_queue() {
    if (sorter_ == nullptr || queue_.size() < 2) {
        return;
    }
    std::vector<JobId> order;
    for (const std::uint32_t index : queue_.everybody()) {
        order.push_back(JobId{index});
    }
    sorter_->sort(order);
    BERTH_ASSERT(order.size() == queue_.size(), "an order has all who wait");
    for (std::size_t i = 1; i < order.size(); ++i) {
        put_behind(order[i - 1], order[i]);
    }
}

void ProfileScheduler::put_behind(JobId before, JobId id) {
    const QueueKey ahead = jobs_[before].queued;
    OwnJob& own = jobs_[id];
    if (ahead < own.queued) {
        return;
    }
    queue_.remove(job(id), own.owner, own.queued);
    own.queued.rank = ahead.rank + (ahead.number < own.queued.number ? 0 : 1);
    queue_.add(job(id), own.owner, own.queued, id.index, expected_run(actions_.job(id)));
}

void ProfileScheduler::cycle() {
    cycle_at_.reset();
    rank_owners();
    sort_queue();
    queue_.reopen_after(releases_);
    admission_->begin_cycle();
    watch_.begin_cycle();
    if (backfilling_->tries_everybody()) {
        cycle_of_everybody();
        return;
    }
    while (const auto index = queue_.next()) {
        const JobId id{*index};
        watch_.turn(id, nullptr);
        if (!try_to_start(id)) {
            watch_.turn(std::nullopt, &job(id));
            backfill();
            break;
        }
        queue_.reopen_after(releases_);  // the job may have preempted others
    }
    watch_.turn(std::nullopt, nullptr);
}

void ProfileScheduler::cycle_of_everybody() {
    const auto first = queue_.next();
    if (first) {
        const JobId id{*first};
        watch_.turn(id, nullptr);
        if (admission_->admissible(id, job(id)) == 0) {
            (void)admission_->preempt_for(id);  // it preempts jobs of its own quota
        }
    }
    backfill();
    auto left = queue_.next();
    if (left && admission_->preempt_for(JobId{*left})) {
        left = queue_.next();
    }
    watch_.turn(std::nullopt, left ? &job(JobId{*left}) : nullptr);
    // A promise that is due at any moment waits for a job that stays longer than expected.
    if (const auto at = backfilling_->next_start(); at && *at > actions_.now() + SimTime(1)) {
        request_cycle(*at);
    }
}

/// Returns whether the jobs behind it get their turn.
bool ProfileScheduler::try_to_start(JobId id) {
    const Members admitted = admission_->admissible(id, job(id));
    if (admitted == 0) {
        return admission_->preempt_for(id) || refuse(id, true, false);
    }
    Attempt attempt = placer_.find(job(id), admitted);
    if (attempt.found) {
        queue_.taken();
        start(id, std::move(attempt));
        return true;
    }
    actions_.note_attempt(id, attempt.placed, std::move(attempt.attainable));
    return admission_->preempt_for(id) || refuse(id, false, admitted == job(id).size);
}

void ProfileScheduler::start(JobId id, Attempt attempt) {
    actions_.start(id,
                   {std::move(attempt.servers),
                    std::move(attempt.placement),
                    std::move(attempt.attainable),
                    std::move(attempt.grants)});
}

/// Returns whether the jobs behind it get their turn. A job that holds them up is tried again in
/// the next cycle, whatever was given back until then: no other job may be tried in its place.
bool ProfileScheduler::refuse(JobId id, bool by_quota, bool for_its_shape) {
    if (!settings_.retry) {
        queue_.taken();
        admission_->leaves_queue(id);
        actions_.drop(id);
    } else if (by_quota) {
        queue_.over_quota();
    } else if (overtaking_ == Overtaking::free) {
        queue_.no_room(for_its_shape);
    } else {
        return false;
    }
    return true;
}

void ProfileScheduler::backfill() {
    if (backfilling_->backfill() && admission_->quotas() != nullptr) {
        request_cycle(actions_.now());  // jobs that this woke have not been tried
    }
}

void ProfileScheduler::start_planned(JobId id, Members members, Attempt attempt) {
    attempt.attainable = placer_.attainable(job(id), members);
    queue_.taken();
    start(id, std::move(attempt));
}

}  // namespace berth::sim

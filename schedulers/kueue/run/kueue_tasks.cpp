#include <optional>
#include <utility>

#include "core/support/assert.hpp"
#include "schedulers/kueue/run/kueue_admission.hpp"

namespace berth::sim {

namespace kueue = core::kueue;

void KueueAdmission::retry_later(kueue::QuotaNode queue) {
    if (retrying_.emplace(cache_.tree().root(queue), queue).second) {
        remember({after(actions_.now(), settings_.retry_after), Task::Kind::retry, queue.index});
    }
}

bool KueueAdmission::woken(Timer timer) {
    if (timer == Timer::first) {
        cycle_armed_ = false;
        return run_cycles();
    }
    rings_at_.reset();
    bool pods_came = false;
    while (!tasks_.empty() && tasks_.begin()->at <= actions_.now()) {
        const Task task = *tasks_.begin();
        tasks_.erase(tasks_.begin());
        pods_came = do_task(task) || pods_came;
    }
    arm();
    return pods_came;
}

bool KueueAdmission::do_task(const Task& task) {
    if (task.is_of_job()) {
        known(JobId{task.of}).task.reset();
    }
    switch (task.kind) {
        case Task::Kind::retry: {
            const kueue::QuotaNode root = cache_.tree().root(kueue::QuotaNode{task.of});
            retrying_.erase(root);
            queues_.retry(root);
            cycle_wanted_ = true;
            break;
        }
        case Task::Kind::sample:
            sample_at_.reset();
            cycle_wanted_ = true;
            break;
        case Task::Kind::offer_again:
            offer(JobId{task.of});
            break;
        case Task::Kind::written:
            create_pods(JobId{task.of});
            return true;
        case Task::Kind::time_out:
            time_out(JobId{task.of});
            break;
    }
    return false;
}

void KueueAdmission::remember(const Task& task) {
    if (task.is_of_job()) {
        std::optional<Task>& of_job = known(JobId{task.of}).task;
        BERTH_ASSERT(!of_job, "a job has one task at a time");
        of_job = task;
    }
    tasks_.insert(task);
    arm();
}

void KueueAdmission::forget_task_of(JobId id) {
    if (const auto task = std::exchange(known(id).task, std::nullopt)) {
        tasks_.erase(*task);
        arm();
    }
}

/// Only one ring is asked for at a time, because a run would wait for rings that are no longer
/// needed.
void KueueAdmission::arm() {
    const bool any = !tasks_.empty() && tasks_.begin()->at < never;
    const std::optional<SimTime> next = any ? std::optional(tasks_.begin()->at) : std::nullopt;
    if (next == rings_at_) {
        return;
    }
    if (rings_at_) {
        actions_.call_off(Timer::second);
    }
    rings_at_ = next;
    if (rings_at_) {
        actions_.wake(*rings_at_, Timer::second);
    }
}

}  // namespace berth::sim

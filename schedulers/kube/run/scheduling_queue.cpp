#include "schedulers/kube/run/scheduling_queue.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "core/support/assert.hpp"

namespace berth::sim {
namespace {

using Seconds = std::chrono::seconds;

constexpr SimTime longest_wait = std::chrono::minutes(5);
constexpr SimTime check_of_waits = Seconds(30);

bool backs_off(const QueuedPod& pod, SimTime now) {
    return pod.backoff_until >= std::chrono::floor<Seconds>(now);
}

}  // namespace

SimTime SchedulingQueue::backoff_of(const QueuedPod& pod) const {
    const std::uint32_t count = pod.errors > 0 ? pod.errors : pod.failures;
    SimTime backoff = std::min(first_backoff_, longest_backoff_);
    for (std::uint32_t i = 1; i < count && backoff < longest_backoff_; ++i) {
        backoff = std::min(2 * backoff, longest_backoff_);
    }
    return backoff;
}

void SchedulingQueue::stamp(QueuedPod& pod, SimTime now) {
    pod.since = now;
    pod.turn = turns_++;
}

void SchedulingQueue::begin_backoff(QueuedPod& pod, SimTime now) {
    stamp(pod, now);
    pod.backoff_until = std::chrono::floor<Seconds>(now + backoff_of(pod));
}

void SchedulingQueue::enter(QueuedPod pod, Part part) {
    switch (part) {
        case Part::active:
            active_.insert(rank(pod));
            break;
        case Part::backoff:
            backoff_.emplace(pod.backoff_until, rank(pod));
            break;
        case Part::rests:
            rests_.emplace(pod.backoff_until, rank(pod));
            break;
        case Part::waits:
            waits_.emplace(pod.turn, pod.number);
            break;
        case Part::parked:
            parked_.insert(pod.number);
            break;
    }
    of_job_[pod.job].insert(pod.number);
    const std::uint64_t number = pod.number;
    const bool fresh = place_.try_emplace(number, Entry{std::move(pod), part}).second;
    BERTH_ASSERT(fresh, "a pod is in one part of the queue");
}

/// Takes a pod out of the queue.
QueuedPod SchedulingQueue::take(std::uint64_t number) {
    const auto found = place_.find(number);
    BERTH_ASSERT(found != place_.end(), "a pod that is taken is in the queue");
    QueuedPod pod = std::move(found->second.pod);
    switch (found->second.part) {
        case Part::active:
            active_.erase(rank(pod));
            break;
        case Part::backoff:
            backoff_.erase({pod.backoff_until, rank(pod)});
            break;
        case Part::rests:
            rests_.erase({pod.backoff_until, rank(pod)});
            break;
        case Part::waits:
            waits_.erase(pod.turn);
            break;
        case Part::parked:
            parked_.erase(number);
            break;
    }
    place_.erase(found);
    const auto of_job = of_job_.find(pod.job);
    of_job->second.erase(number);
    if (of_job->second.empty()) {
        of_job_.erase(of_job);
    }
    return pod;
}

void SchedulingQueue::add(QueuedPod pod, SimTime now) {
    stamp(pod, now);
    enter(std::move(pod), Part::active);
}

std::optional<QueuedPod> SchedulingQueue::pop(SimTime now) {
    if (!can_pop()) {
        return std::nullopt;
    }
    if (!active_.empty()) {
        return take(std::get<2>(*active_.begin()));
    }
    QueuedPod early = take(std::get<2>(backoff_.begin()->second));
    early.taken_early = now;
    return early;
}

void SchedulingQueue::put_back(QueuedPod pod, std::set<std::string_view> rejected_by, SimTime now) {
    ++pod.failures;
    pod.errors = 0;
    pod.rejected_by = std::move(rejected_by);
    begin_backoff(pod, now);
    enter(std::move(pod), Part::waits);
}

void SchedulingQueue::put_back_after_error(QueuedPod pod, SimTime now) {
    ++pod.errors;
    pod.rejected_by.clear();
    begin_backoff(pod, now);
    enter(std::move(pod), Part::rests);
}

void SchedulingQueue::wait_for_group(QueuedPod pod, SimTime now) {
    stamp(pod, now);
    enter(std::move(pod), Part::parked);
}

void SchedulingQueue::park(QueuedPod pod,
                           std::set<std::string_view> rejected_by,
                           std::uint64_t seen,
                           SimTime now,
                           bool is_active) {
    ++(rejected_by.empty() ? pod.errors : pod.failures);
    pod.errors = rejected_by.empty() ? pod.errors : 0;
    pod.rejected_by = std::move(rejected_by);
    pod.seen = seen;
    begin_backoff(pod, now);
    enter(std::move(pod), is_active ? Part::active : Part::parked);
}

void SchedulingQueue::let_rest(QueuedPod pod, SimTime now) {
    begin_backoff(pod, now);
    enter(std::move(pod), Part::rests);
}

void SchedulingQueue::let_rest(std::vector<QueuedPod> pods) {
    const SimTime until = std::ranges::max(pods, {}, &QueuedPod::backoff_until).backoff_until;
    for (QueuedPod& pod : pods) {
        pod.backoff_until = until;
        enter(std::move(pod), Part::rests);
    }
}

std::vector<QueuedPod> SchedulingQueue::take_all_of(JobId job) {
    std::vector<QueuedPod> taken;
    for (auto pods = of_job_.find(job); pods != of_job_.end(); pods = of_job_.find(job)) {
        taken.push_back(take(*pods->second.begin()));
    }
    return taken;
}

/// Makes a pod that waits for an event active, or lets it wait for the end of its backoff.
void SchedulingQueue::activate(std::uint64_t number, SimTime now) {
    QueuedPod pod = take(number);
    const bool was_early = pod.taken_early && *pod.taken_early == now;
    const Part part = !backs_off(pod, now) ? Part::active : was_early ? Part::rests : Part::backoff;
    enter(std::move(pod), part);
}

void SchedulingQueue::activate_parked(SimTime now,
                                      const std::function<bool(const QueuedPod&)>& is_retried) {
    std::vector<std::uint64_t> retried;
    std::ranges::copy_if(parked_, std::back_inserter(retried), [&](std::uint64_t number) {
        return is_retried(place_.at(number).pod);
    });
    for (const std::uint64_t number : retried) {
        activate(number, now);
    }
}

void SchedulingQueue::move_if(SimTime now, const std::function<bool(const QueuedPod&)>& helps) {
    std::vector<std::uint64_t> helped;
    for (const auto& [turn, number] : waits_) {
        if (helps(place_.at(number).pod)) {
            helped.push_back(number);
        }
    }
    for (const std::uint64_t number : helped) {
        activate(number, now);
    }
}

std::optional<std::uint64_t> SchedulingQueue::remove_last_of(JobId job) {
    const auto of_job = of_job_.find(job);
    if (of_job == of_job_.end()) {
        return std::nullopt;
    }
    return take(*of_job->second.rbegin()).number;
}

bool SchedulingQueue::tick(SimTime now) {
    for (const auto* const part : {&backoff_, &rests_}) {
        while (!part->empty() && part->begin()->first < std::chrono::floor<Seconds>(now)) {
            enter(take(std::get<2>(part->begin()->second)), Part::active);
        }
    }
    bool retried = false;
    while (now % check_of_waits == SimTime(0) && !waits_.empty() &&
           place_.at(waits_.begin()->second).pod.since + longest_wait < now) {
        activate(waits_.begin()->second, now);
        retried = true;
    }
    return retried;
}

std::optional<SimTime> SchedulingQueue::next_tick(SimTime now, bool retries) const {
    std::optional<SimTime> next;
    const auto note = [&](SimTime at) { next = next ? std::min(*next, at) : at; };
    if (!rests_.empty()) {
        note(rests_.begin()->first + Seconds(1));
    }
    if (retries && !waits_.empty()) {
        const SimTime over =
            std::max(now, place_.at(waits_.begin()->second).pod.since + longest_wait);
        note((over / check_of_waits + 1) * check_of_waits);
    }
    return next;
}

}  // namespace berth::sim

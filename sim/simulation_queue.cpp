/// Who of those that wait is tried, and in what order.

#include <algorithm>
#include <chrono>
#include <map>

#include "core/support/assert.hpp"
#include "sim/simulation.hpp"

namespace berth::sim {

using core::Members;

void Simulation::cycle() {
    BERTH_ASSERT(cycle_pending_, "a cycle comes when somebody asked for one");
    cycle_pending_ = false;
    if (usage_) {
        waiting_.rank_owners([&](core::QuotaId owner) { return usage_->at(owner.index, now_); });
    }
    waiting_.begin_cycle(releases_);
    watch_cycle();
    while (const auto index = waiting_.next()) {
        watch_turn(index, nullptr);
        if (!try_to_start(*index)) {
            watch_turn(std::nullopt, &states_[*index].record.job);
            if (overtaking_ == Overtaking::backfill) {
                backfill();
            }
            break;
        }
    }
    watch_turn(std::nullopt, nullptr);
}

/// Returns whether those behind it have their turn.
bool Simulation::try_to_start(std::uint32_t index) {
    State& state = states_[index];
    const Job& job = state.record.job;
    const Members admitted =
        quotas_ ? quotas_->admissible(state.quota, job, job.min_available, job.size) : job.size;
    if (admitted == 0) {
        return preempt_for(state, index) || refuse(state, index, true, false);
    }
    Attempt attempt = placer_.find(job, admitted);
    state.record.placed = attempt.placed;
    if (attempt.found) {
        waiting_.taken();
        start(state, index, std::move(attempt));
        return true;
    }
    state.record.attainable = std::move(attempt.attainable);
    return preempt_for(state, index) || refuse(state, index, false, admitted == job.size);
}

/// Returns whether those behind it have their turn. One that holds them up is tried again at the
/// next cycle, whatever was given back until then: nobody may be tried in its stead.
bool Simulation::refuse(State& state, std::uint32_t index, bool by_quota, bool for_its_shape) {
    if (!settings_.retry) {
        waiting_.taken();
        count_waiting(state, -state.record.job.size);
        end(index, Outcome::dropped);
    } else if (by_quota) {
        waiting_.over_quota();
    } else if (overtaking_ == Overtaking::free) {
        waiting_.no_room(for_its_shape);
    } else {
        return false;
    }
    return true;
}

/// The first of those that wait found no place. Those who may have a reservation get one, in the
/// order of the queue, and whoever can start beside them starts.
void Simulation::backfill() {
    struct Known {
        SimTime duration{};
        SimTime start{};
    };
    // Of jobs that ask for the same, one that runs for longer starts no earlier.
    std::map<std::uint32_t, Known> reserved;
    std::map<std::uint32_t, SimTime> refused;
    std::size_t reservations = 0;
    bool any_started = false;
    BERTH_ASSERT(plan_, "a run that backfills has a plan");
    plan_->begin(now_);
    for (const WaitingQueue::Place& place : waiting_.in_order()) {
        State& state = states_[place.job];
        const Job& job = state.record.job;
        const SimTime duration = expected_run(state);
        const bool may_reserve = reservations < settings_.profile.queue.reservations;
        const auto too_long = refused.find(place.alike);
        if (!may_reserve && too_long != refused.end() && too_long->second <= duration) {
            continue;
        }
        if (!waiting_.select(job, state.quota, state.queued)) {
            continue;  // its quota refused one of its class before it
        }
        const Members admitted =
            quotas_ ? quotas_->admissible(state.quota, job, job.min_available, job.size) : job.size;
        if (admitted == 0) {
            waiting_.over_quota();
            continue;
        }
        if (!may_reserve) {
            if (auto attempt = plan_->start_now(job, admitted, duration)) {
                start_planned(place.job, admitted, std::move(*attempt));
                any_started = true;
            } else if (admitted == job.size) {
                refused[place.alike] = duration;
            }
            continue;
        }
        const auto known = reserved.find(place.alike);
        const bool later = known != reserved.end() && known->second.duration <= duration;
        const SimTime not_before = later ? known->second.start : now_;
        auto start = not_before != never ? plan_->earliest(job, admitted, duration, not_before)
                                         : std::nullopt;
        if (start && start->at == now_) {
            start_planned(place.job, admitted, std::move(start->attempt));
            any_started = true;
            continue;
        }
        if (start) {
            plan_->reserve(job, *start, duration);
            ++reservations;
        }
        if (admitted == job.size) {
            reserved[place.alike] = {duration, start ? start->at : never};
        }
    }
    if (any_started && quotas_) {
        request_cycle();  // whom this woke has not been tried
    }
}

/// Tells the plan which members of a running job it has, or, before they leave, had.
void Simulation::note_expected(const State& state, std::uint32_t index, bool runs) {
    const JobRecord& record = state.record;
    for (const Stint& stint : record.stints) {
        if (!plan_ || stint.finish) {
            continue;
        }
        if (runs) {
            plan_->expect(index, record.job, stint.server, stint.members, expected_end(state));
        } else {
            plan_->forget(index, stint.server);
        }
    }
}

void Simulation::start_planned(std::uint32_t index, Members members, Attempt attempt) {
    State& state = states_[index];
    const Job& job = state.record.job;
    attempt.attainable = placer_.attainable(job, members);
    waiting_.taken();
    start(state, index, std::move(attempt));
    plan_->follow();
}

/// What is left of the time that its user, or else its duration, says.
SimTime Simulation::expected_run(const State& state) const {
    const Job& job = state.record.job;
    const auto stated = job.stated_duration();
    if (!stated) {
        return never;
    }
    const SimTime done = state.left ? *job.duration - *state.left : SimTime(0);
    BERTH_ASSERT(done >= SimTime(0), "no more work is left than there was");
    return std::max(*stated - done, SimTime(0));
}

SimTime Simulation::expected_end(const State& state) const {
    BERTH_ASSERT(state.record.start, "a job that runs has an end to expect");
    const SimTime start = *state.record.start;
    const SimTime run = expected_run(state);
    return run < never - start ? start + run : never;
}

core::QuotaId Simulation::number_of_user(const std::string& user) {
    const auto number = static_cast<std::uint32_t>(users_.size());
    return core::QuotaId{users_.try_emplace(user, number).first->second};
}

/// `pods` more of a job run from now on, or, negative, have stopped.
void Simulation::note_usage(const State& state, Members pods) {
    if (usage_) {
        usage_->change(state.quota.index, state.record.job.demand, pods, now_);
    }
}

/// What a running job attained since it started.
std::int64_t Simulation::service_of(const JobRecord& record) const {
    BERTH_ASSERT(record.start, "a running job attains service");
    std::int64_t service = 0;
    for (const Stint& stint : record.stints) {
        if (stint.start < *record.start) {
            continue;  // before an eviction that has counted it
        }
        const auto ran = std::chrono::duration_cast<std::chrono::milliseconds>(
            stint.finish.value_or(now_) - stint.start);
        service += stint.members * record.job.demand[service_resource_] * ran.count();
    }
    return service;
}

}  // namespace berth::sim

#include "sim/backfill/replanned_backfill.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "sim/backfill/expected_run.hpp"

namespace berth::sim {

using core::Members;

/// What a cycle has found so far.
struct ReplannedBackfill::Cycle {
    struct Known {
        SimTime duration{};
        SimTime start{};  ///< `never`: it has no start.
    };
    // Results by WaitingQueue::alike(). Among jobs that ask for the same, one that runs longer
    // starts no earlier, and finds no place if a shorter one found none.
    std::map<std::uint32_t, Known> reserved{};
    std::map<std::uint32_t, SimTime> refused{};
    std::vector<JobId> promised{};
    bool any_started = false;
};

bool ReplannedBackfill::backfill() {
    Cycle cycle;
    begin();
    for (const WaitingQueue::Place& place : waiting().in_order()) {
        const JobId id{place.job};
        const bool may_reserve = cycle.promised.size() < reservations_max();
        const auto refused = cycle.refused.find(place.alike);
        if (!may_reserve && refused != cycle.refused.end() &&
            refused->second <= expected_run(actions().job(id))) {
            continue;
        }
        if (const Members admitted = select(id); admitted > 0) {
            may_reserve ? reserve(cycle, place, admitted) : start_beside(cycle, place, admitted);
        }
    }
    for (const JobId id : cycle.promised) {
        plan().take_back(id);
    }
    return cycle.any_started;
}

/// Starts a job if it can start now; otherwise keeps the earliest place for it.
void ReplannedBackfill::reserve(Cycle& cycle, const WaitingQueue::Place& place, Members admitted) {
    const JobId id{place.job};
    const SimTime now = actions().now();
    const SimTime duration = expected_run(actions().job(id));
    const auto known = cycle.reserved.find(place.alike);
    const bool longer = known != cycle.reserved.end() && known->second.duration <= duration;
    const SimTime not_before = longer ? known->second.start : now;
    auto found = not_before != never ? plan().earliest(job(id), admitted, duration, not_before)
                                     : std::nullopt;
    if (found && found->at == now) {
        start(id, admitted, std::move(found->attempt));
        cycle.any_started = true;
        return;
    }
    if (admitted == job(id).size) {
        cycle.reserved[place.alike] = {duration, found ? found->at : never};
    }
    if (found) {
        plan().promise(id, job(id), std::move(*found), duration);
        cycle.promised.push_back(id);
    }
}

void ReplannedBackfill::start_beside(Cycle& cycle,
                                     const WaitingQueue::Place& place,
                                     Members admitted) {
    const JobId id{place.job};
    const SimTime duration = expected_run(actions().job(id));
    if (auto attempt = plan().start_now(job(id), admitted, duration)) {
        start(id, admitted, std::move(*attempt));
        cycle.any_started = true;
    } else if (admitted == job(id).size) {
        cycle.refused[place.alike] = duration;
    }
}

}  // namespace berth::sim

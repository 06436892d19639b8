#include "sim/backfill/easy_backfill.hpp"

#include <limits>
#include <map>
#include <utility>

#include "sim/backfill/expected_run.hpp"

namespace berth::sim {

using core::Members;

/// Starts a job that can start now; else the place at which it can is reserved for it.
void EasyBackfill::start_or_reserve(JobId id, Members admitted) {
    const SimTime now = actions().now();
    const SimTime duration = expected_run(actions().job(id));
    auto found = plan().earliest(job(id), admitted, duration, now);
    if (found && found->at == now) {
        start(id, admitted, std::move(found->attempt));
        any_started_ = true;
    } else if (found) {
        plan().promise(id, job(id), std::move(*found), duration);
        reserved_ = id;
    }
}

/// Starts a job that delays the first nowhere. Where one would, so would all of its kind that run
/// for longer than until that starts; where one that ends by then finds no place, none does.
void EasyBackfill::start_beside(JobId id, Members admitted, SimTime& most) {
    const SimTime duration = expected_run(actions().job(id));
    if (auto attempt = plan().start_now(job(id), admitted, duration)) {
        start(id, admitted, std::move(*attempt));
        any_started_ = true;
    } else if (admitted == job(id).size) {
        const SimTime hole = plan().promised_start(*reserved_) - actions().now();
        most = duration > hole ? hole : SimTime(-1);
    }
}

bool EasyBackfill::backfill() {
    any_started_ = false;
    begin();
    std::map<QueueKey, Next> next;
    const auto offer = [&](std::uint64_t kind, SimTime most, const QueueKey& behind) {
        if (const auto place = waiting().first_within(kind, most, behind)) {
            next.emplace(place->key, Next{{place->job}, kind, most});
        }
    };
    const QueueKey before_all{std::numeric_limits<std::int64_t>::min(), 0, 0};
    for (const std::uint64_t kind : waiting().kinds()) {
        offer(kind, never, before_all);
    }
    while (!next.empty()) {
        const QueueKey key = next.begin()->first;
        Next trying = next.begin()->second;
        next.erase(next.begin());
        const Members admitted = select(trying.id);
        if (admitted > 0 && reserved_) {
            start_beside(trying.id, admitted, trying.most);
        } else if (admitted > 0) {
            start_or_reserve(trying.id, admitted);
        }
        offer(trying.kind, trying.most, key);
    }
    if (reserved_) {
        plan().take_back(*std::exchange(reserved_, std::nullopt));
    }
    return any_started_;
}

}  // namespace berth::sim

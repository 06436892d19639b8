// Plans of when jobs start, compared with the jobs that run and wait.

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "core/ledger/ledger_invariants.hpp"
#include "sim/backfill/conservative_backfill.hpp"
#include "sim/backfill/expected_run.hpp"
#include "sim/backfill/imagined_cluster.hpp"
#include "sim/backfill/planned_backfill.hpp"
#include "sim/backfill/reservation_plan.hpp"

namespace berth::sim {

using core::Violation;

/// Checks that its sums and the indexes over it follow from what it is shown.
std::optional<Violation> ImaginedCluster::find_violation() {
    if (auto violation = core::find_violation(ledger_)) {
        return violation;
    }
    if (auto violation = cluster_->inside().find_violation()) {
        return violation;
    }
    return placer_.find_violation();
}

std::optional<Violation> ReservationPlan::find_violation(std::vector<Timetable::Stay> stays) {
    std::set<std::pair<SimTime, JobId>> dues;
    for (const auto& [id, start] : promises_) {
        dues.emplace(start.at, id);
        for (std::size_t i = 0; i < start.attempt.servers.size(); ++i) {
            const core::PlacedNode& node = start.attempt.servers[i];
            Timetable::Stay stay{.id = id,
                                 .server = ledger_.topology().server_of(node.node),
                                 .members = node.count,
                                 .from = start.at};
            if (!start.attempt.grants.empty()) {
                stay.grants = start.attempt.grants[i];
            }
            stays.push_back(stay);
        }
    }
    if (dues != dues_) {
        return Violation{"each promise falls due once",
                         "the plan",
                         fmt::format("{} dues", dues_.size()),
                         fmt::format("{} promises", promises_.size())};
    }
    if (auto violation = table_.find_violation(stays)) {
        return violation;
    }
    if (auto violation = then_.find_violation()) {
        return violation;
    }
    return now_free_.find_violation();
}

std::optional<Violation> PlannedBackfill::find_violation() {
    std::vector<Timetable::Stay> stays;
    actions().each_job([&](JobId id) {
        const JobState& state = actions().job(id);
        for (const Stint& stint : state.record.stints) {
            if (state.runs() && !stint.finish) {
                stays.push_back({id,
                                 &state.job(),
                                 stint.server,
                                 stint.members,
                                 stint.grants,
                                 std::nullopt,
                                 expected_end(state)});
            }
        }
    });
    return plan_.find_violation(std::move(stays));
}

/// Checks that each waiting job has a promise, is still to be offered one, or would never start.
std::optional<Violation> ConservativeBackfill::find_violation() {
    const auto wrong = [&](JobId id, const char* found) {
        return Violation{"a waiting job has a promise or none",
                         fmt::format("job {}", job(id).name),
                         found,
                         "one of the two, while it waits"};
    };
    for (const JobId id : plan().promised()) {
        if (!actions().job(id).waits()) {
            return wrong(id, "a promise, and it does not wait");
        }
        if (without_promise_.contains(id) || never_start_.contains(id)) {
            return wrong(id, "both");
        }
    }
    for (const std::set<JobId>* jobs : {&without_promise_, &never_start_}) {
        for (const JobId id : *jobs) {
            if (!actions().job(id).waits()) {
                return wrong(id, "neither, and it does not wait");
            }
        }
    }
    const std::size_t known =
        plan().promised().size() + without_promise_.size() + never_start_.size();
    if (known != waiting().size()) {
        return Violation{"a waiting job has a promise, may get one, or would never start",
                         "the queue",
                         fmt::format("{} jobs", known),
                         fmt::format("{} that wait", waiting().size())};
    }
    return PlannedBackfill::find_violation();
}

}  // namespace berth::sim

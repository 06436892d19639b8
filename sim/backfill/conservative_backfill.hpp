#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "sim/backfill/planned_backfill.hpp"

namespace berth::sim {

/// Conservative backfilling: each waiting job has a place promised at the earliest time at which it
/// disturbs no earlier promise. While no job leaves early, new jobs get their promises in the order
/// of the queue. Once a job has left early, each job in this order gives its promise back and gets
/// the earliest place beside all other promises, which is never later.
///
/// If estimates are too short, or servers leave, not all promises can be kept: a promise that falls
/// due and cannot be kept is made anew.
///
/// Source: Mu'alem and Feitelson (IEEE TPDS 12(6), 2001), section 3: reservations, and their
///         compression when a job ends early.
/// Cost:   a search of ReservationPlan for each job that arrives and, after an early end, for each
///         job that has a promise. If there are already as many promises as may be, a place for a
///         job is sought only if no job like it that is as short or shorter was refused.
class ConservativeBackfill : public PlannedBackfill {
public:
    using PlannedBackfill::PlannedBackfill;

    void resizes(JobId id) override;
    void waits(JobId id) override;
    void leaves_queue(JobId id) override;
    void servers_changed() override;
    [[nodiscard]] std::optional<core::Violation> find_violation() override;

    [[nodiscard]] bool tries_everybody() const override { return true; }
    bool backfill() override;
    /// When a waiting job may start, if it has a promise.
    [[nodiscard]] std::optional<SimTime> promised_start(JobId id) const {
        return plan().has_promise(id) ? std::optional(plan().promised_start(id)) : std::nullopt;
    }
    /// When the next promise falls due.
    [[nodiscard]] std::optional<SimTime> next_start() const override { return plan().next_due(); }

private:
    void left_early() override { freed_ = true; }
    [[nodiscard]] bool settle_due_and_new();
    [[nodiscard]] bool settle_everybody();
    [[nodiscard]] bool redeem(JobId id);
    [[nodiscard]] bool settle(JobId id);
    [[nodiscard]] SimTime not_before(JobId id, core::Members members, SimTime duration);
    [[nodiscard]] std::optional<ReservationPlan::Start> earliest(JobId id,
                                                                 core::Members members,
                                                                 SimTime duration);
    void take_back(JobId id);

    // Each waiting job has a promise in the plan, or is in one of these two sets.
    std::set<JobId> without_promise_;  ///< Jobs that are offered a promise in each cycle.
    /// Jobs that would never have started as things were when they were last tried. They are
    /// offered a promise again when something is given back.
    std::set<JobId> never_start_;
    bool freed_ = false;  ///< Something was given back that had been counted as taken for longer.
    /// Known starts of jobs by WaitingQueue::alike(), then by duration; starts and durations are
    /// ascending. They hold while nothing is freed. A job that runs longer starts no earlier.
    std::map<std::uint64_t, std::map<SimTime, SimTime>> known_;
};

}  // namespace berth::sim

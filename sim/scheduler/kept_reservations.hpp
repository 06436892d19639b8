#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "sim/scheduler/admission.hpp"
#include "sim/scheduler/follower.hpp"
#include "sim/scheduler/reservation_plan.hpp"
#include "sim/settings.hpp"
#include "sim/waiting_queue.hpp"

namespace berth::sim {

/// Conservative backfilling: each job that waits has a place promised at the earliest time at which
/// it disturbs no promise that was made before. While nobody leaves early, jobs that come are
/// given theirs in the order of the queue. Once somebody did, each job in this order gives its
/// promise back and gets the earliest place beside all others', which is never later.
///
/// Where estimates are too short, or servers leave, promises cannot all be kept: those that fall
/// due and cannot be are made anew.
///
/// Source: Mu'alem and Feitelson (IEEE TPDS 12(6), 2001), section 3: reservations, and their
///         compression when a job ends early.
/// Cost:   a search of ReservationPlan for each job that comes, and after an early end for each
///         that waits.
class KeptReservations final : public Follower {
public:
    /// What starts a job that the queue has selected, with so many members admitted.
    using StartJob = std::function<void(JobId id, core::Members admitted, Attempt attempt)>;
    /// All outlive it.
    KeptReservations(const Settings& settings,
                     const Actions& actions,
                     WaitingQueue& queue,
                     Admission& admission,
                     OwnJobs& jobs,
                     StartJob start);

    void runs(JobId id, core::Members pods) override;
    void stops(JobId id, std::span<const Stint> stints, core::Members pods) override;
    void resizes(JobId id) override;
    /// A job has come to wait, or asks for another size.
    void waits(JobId id);
    void leaves_queue(JobId id);
    void servers_changed();

    void cycle();
    /// When a promise falls due next.
    [[nodiscard]] std::optional<SimTime> next_due() const { return plan_.next_due(); }

private:
    [[nodiscard]] QueueKey key_of(JobId id) const;
    [[nodiscard]] std::vector<JobId> to_settle();
    void settle(JobId id);
    [[nodiscard]] std::optional<ReservationPlan::Start> earliest(JobId id,
                                                                 core::Members members,
                                                                 SimTime duration);
    void take_back(JobId id);

    const Settings& settings_;
    const Actions& actions_;
    WaitingQueue& queue_;
    Admission& admission_;
    OwnJobs& jobs_;
    StartJob start_;
    ReservationPlan plan_;
    std::set<JobId> without_promise_;  ///< Of those that wait; not those that could never start.
    std::set<JobId> hopeless_;         ///< As things are: no time is early enough.
    std::size_t promises_ = 0;
    bool freed_ = false;  ///< Something was given back that had been counted on for longer.
    /// By WaitingQueue::alike(), while nothing is freed: starts of jobs by their durations, both
    /// ascending. One that runs for longer starts no earlier.
    std::map<std::uint64_t, std::map<SimTime, SimTime>> known_;
};

}  // namespace berth::sim

#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "sim/scheduler/admission.hpp"
#include "sim/scheduler/follower.hpp"
#include "sim/scheduler/reservation_plan.hpp"
#include "sim/waiting_queue.hpp"

namespace berth::sim {

/// EASY backfilling: the first that waits and finds no place has one reserved, anew in each cycle,
/// and whoever delays it not may start.
///
/// Source: Lifka, "The ANL/IBM SP Scheduling System" (JSSPP 1995).
/// Cost:   a cycle looks for the reservation once, and then for each kind of job that waits at the
///         first that would end before the reservation begins, or fits beside it; who is too long
///         is not looked at.
class EasyBackfill final : public Follower {
public:
    /// What starts a job that the queue has selected, with so many members admitted.
    using StartJob = std::function<void(JobId id, core::Members admitted, Attempt attempt)>;
    /// All outlive it.
    EasyBackfill(const Profile& profile,
                 const Actions& actions,
                 WaitingQueue& queue,
                 Admission& admission,
                 OwnJobs& jobs,
                 StartJob start);

    void runs(JobId id, core::Members pods) override;
    void stops(JobId id, std::span<const Stint> stints, core::Members pods) override;
    void resizes(JobId id) override;
    void servers_changed() { plan_.servers_changed(); }

    /// The first of those that wait found no place. Returns whether any other started.
    [[nodiscard]] bool backfill();

private:
    /// The next of a kind of job that may be tried in a cycle.
    struct Next {
        JobId id;
        std::uint64_t kind = 0;
        SimTime most = never;  ///< Who runs for longer would delay the first.
    };
    [[nodiscard]] core::Members select(JobId id);
    void start_or_reserve(JobId id, core::Members admitted);
    void start_beside(JobId id, core::Members admitted, SimTime& most);

    const Actions& actions_;
    WaitingQueue& queue_;
    Admission& admission_;
    OwnJobs& jobs_;
    StartJob start_;
    ReservationPlan plan_;
    std::optional<JobId> reserved_;
    bool any_started_ = false;
};

}  // namespace berth::sim

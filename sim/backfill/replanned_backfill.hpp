#pragma once

#include <vector>

#include "sim/backfill/planned_backfill.hpp"

namespace berth::sim {

/// Backfilling that keeps no promise: in each cycle, the jobs that may reserve get the earliest
/// places, in the order of the queue, and any job that can start beside them starts.
///
/// Cost: a cycle looks at every waiting job, and searches ReservationPlan for those that get a
///       reservation.
class ReplannedBackfill final : public PlannedBackfill {
public:
    using PlannedBackfill::PlannedBackfill;

    /// Called when the first waiting job has found no place.
    bool backfill() override;

private:
    struct Cycle;
    void reserve(Cycle& cycle, const WaitingQueue::Place& place, core::Members admitted);
    void start_beside(Cycle& cycle, const WaitingQueue::Place& place, core::Members admitted);
};

}  // namespace berth::sim

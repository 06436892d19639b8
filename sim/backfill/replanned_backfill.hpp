#pragma once

#include <vector>

#include "sim/backfill/planned_backfill.hpp"

namespace berth::sim {

/// Backfilling that keeps no promise: each cycle gives those who may reserve the earliest
/// place there is, in the order of the queue, and whoever can start beside them starts.
///
/// Cost: a cycle looks at everybody who waits, and for those who get a reservation it searches
///       ReservationPlan.
class ReplannedBackfill final : public PlannedBackfill {
public:
    using PlannedBackfill::PlannedBackfill;

    /// The first of those that wait found no place.
    bool backfill() override;

private:
    struct Cycle;
    void reserve(Cycle& cycle, const WaitingQueue::Place& place, core::Members admitted);
    void start_beside(Cycle& cycle, const WaitingQueue::Place& place, core::Members admitted);
};

}  // namespace berth::sim

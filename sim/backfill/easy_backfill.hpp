#pragma once

#include <cstdint>
#include <optional>

#include "sim/backfill/planned_backfill.hpp"

namespace berth::sim {

/// EASY backfilling: the first waiting job that finds no place has one reserved, anew in each
/// cycle, and any job that does not delay it may start. Not used with quotas: there a start may get
/// other jobs admitted in the same cycle, and jobs are tried in the order of the whole queue.
///
/// Source: Lifka, "The ANL/IBM SP Scheduling System" (JSSPP 1995).
/// Cost:   a cycle looks for the reservation once, and then, for each kind of waiting job, at the
///         first that would end before the reservation begins or fits beside it; jobs that run too
///         long are not looked at.
class EasyBackfill final : public PlannedBackfill {
public:
    using PlannedBackfill::PlannedBackfill;

    /// Called when the first waiting job has found no place.
    bool backfill() override;

private:
    /// The next job of a kind that may be tried in a cycle.
    struct Next {
        JobId id;
        std::uint64_t kind = 0;
        SimTime most = never;  ///< A job that runs longer would delay the first.
    };
    void start_or_reserve(JobId id, core::Members admitted);
    void start_beside(JobId id, core::Members admitted, SimTime& most);

    std::optional<JobId> reserved_;
    bool any_started_ = false;
};

}  // namespace berth::sim

#pragma once

#include <cstdint>
#include <optional>

#include "sim/backfill/planned_backfill.hpp"

namespace berth::sim {

/// EASY backfilling: the first that waits and finds no place has one reserved, anew in each cycle,
/// and whoever delays it not may start. Not with quotas: there a start may have others admitted in
/// the same cycle, and who is tried before whom is the order of the whole queue.
///
/// Source: Lifka, "The ANL/IBM SP Scheduling System" (JSSPP 1995).
/// Cost:   a cycle looks for the reservation once, and then for each kind of job that waits at the
///         first that would end before the reservation begins, or fits beside it; who is too long
///         is not looked at.
class EasyBackfill final : public PlannedBackfill {
public:
    using PlannedBackfill::PlannedBackfill;

    /// The first of those that wait found no place.
    bool backfill() override;

private:
    /// The next of a kind of job that may be tried in a cycle.
    struct Next {
        JobId id;
        std::uint64_t kind = 0;
        SimTime most = never;  ///< Who runs for longer would delay the first.
    };
    void start_or_reserve(JobId id, core::Members admitted);
    void start_beside(JobId id, core::Members admitted, SimTime& most);

    std::optional<JobId> reserved_;
    bool any_started_ = false;
};

}  // namespace berth::sim

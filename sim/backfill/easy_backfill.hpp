#pragma once

#include <cstdint>
#include <map>
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
///         long are not looked at. Where nothing has changed since the last cycle but that jobs
///         came, it looks at those alone.
class EasyBackfill final : public PlannedBackfill {
public:
    using PlannedBackfill::PlannedBackfill;

    void leaves_queue(JobId id) override;
    /// Called when the first waiting job has found no place.
    bool backfill() override;

private:
    /// The next job of a kind that may be tried in a cycle.
    struct Next {
        JobId id;
        std::uint64_t kind = 0;
        SimTime most = never;  ///< A job that runs longer would delay the first.
    };
    /// The job that has the reservation, and up to where the plan and the ledger had changed when
    /// it got that.
    struct Reserved {
        JobId id;
        std::uint64_t planned = 0;
        std::uint64_t taken = 0;
    };
    class Offers;
    /// Why a job of a kind was refused beside the reservation.
    enum class Refused : std::uint8_t { delays_the_first, finds_no_place };

    [[nodiscard]] bool still_reserved() const;
    void give_up();
    void start_or_reserve(JobId id, core::Members admitted);
    void start_beside(const Next& trying, core::Members admitted, SimTime& most);
    [[nodiscard]] SimTime most_of(std::uint64_t kind) const;

    std::optional<Reserved> reserved_;
    /// By kind of job, while nothing changes for who is reserved: any other job of the kind would
    /// be refused too.
    std::map<std::uint64_t, Refused> refused_;
    bool any_started_ = false;
};

}  // namespace berth::sim

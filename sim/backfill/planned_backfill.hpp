#pragma once

#include "sim/backfill/backfilling.hpp"
#include "sim/backfill/reservation_plan.hpp"

namespace berth::sim {

/// Backfilling by a plan of when running jobs leave and which waiting jobs have a promised place.
class PlannedBackfill : public Backfilling {
public:
    explicit PlannedBackfill(BackfillContext context);

    void runs(JobId id, core::Members pods) override;
    void stops(JobId id, const Stints& stints, core::Members pods) override;
    void resizes(JobId id) override;
    void servers_changed() override { plan_.table().servers_changed(); }
    [[nodiscard]] std::optional<core::Violation> find_violation() override;

protected:
    [[nodiscard]] const Settings& settings() const { return context_.settings; }
    [[nodiscard]] const Actions& actions() const { return context_.actions; }
    [[nodiscard]] const Job& job(JobId id) const { return actions().job(id).job(); }
    [[nodiscard]] const WaitingQueue& waiting() const { return context_.queue; }
    [[nodiscard]] ReservationPlan& plan() { return plan_; }
    [[nodiscard]] const ReservationPlan& plan() const { return plan_; }
    /// To be called before planning anything: brings the plan up to the current time and state.
    void begin();
    /// How many waiting jobs may have a reservation.
    [[nodiscard]] std::size_t reservations_max() const;
    /// A job's place in the queue.
    [[nodiscard]] QueueKey key_of(JobId id) const;

    /// How many of a waiting job's members may start; 0 if its quota refuses it.
    [[nodiscard]] core::Members select(JobId id);
    /// Starts `admitted` members of the job that was selected last.
    void start(JobId id, core::Members admitted, Attempt attempt);
    /// Members left before they were expected to.
    virtual void left_early() {}

private:
    BackfillContext context_;
    ReservationPlan plan_;
    std::optional<SimTime> planned_at_;  ///< The last time of begin().
};

}  // namespace berth::sim

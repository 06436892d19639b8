#pragma once

#include "sim/backfill_plan.hpp"
#include "sim/scheduler/follower.hpp"
#include "sim/settings.hpp"

namespace berth::sim {

/// When jobs that run are expected to leave, and who may start before the first that waits.
class Backfill final : public Follower {
public:
    Backfill(const Settings& settings, const Actions& actions);

    void runs(JobId id, core::Members pods) override;
    void stops(JobId id, std::span<const Stint> stints, core::Members pods) override;
    void resizes(JobId id) override;

    [[nodiscard]] BackfillPlan& plan() { return plan_; }

private:
    const Actions& actions_;
    BackfillPlan plan_;
};

}  // namespace berth::sim

#pragma once

#include <optional>
#include <vector>

#include "sim/profile/admission.hpp"
#include "sim/queue/decayed_usage.hpp"
#include "sim/scheduler/follower.hpp"

namespace berth::sim {

/// Keeps what owners have used, for a queue that is ordered by it.
class UsageFollower final : public Follower {
public:
    /// `capacity` is that of the cluster, by resource.
    UsageFollower(SimTime half_life,
                  std::span<const core::Amount> capacity,
                  const Actions& actions,
                  OwnJobs& jobs)
        : usage_(half_life, capacity), actions_(actions), jobs_(jobs) {}

    void runs(JobId id, core::Members pods) override { change(id, pods); }
    void stops(JobId id, const Stints& /*stints*/, core::Members pods) override {
        change(id, -pods);
    }
    [[nodiscard]] std::optional<core::Violation> find_violation() override {
        std::vector<DecayedUsage::Running> all;
        actions_.each_job([&](JobId id) {
            const JobState& state = actions_.job(id);
            if (state.runs()) {
                all.push_back({jobs_[id].owner.index, state.job().demand, state.record.placed});
            }
        });
        return usage_.find_violation(all);
    }
    [[nodiscard]] std::int64_t at(core::QuotaId owner) {
        return usage_.at(owner.index, actions_.now());
    }

private:
    void change(JobId id, core::Members pods) {
        usage_.change(jobs_[id].owner.index, actions_.job(id).job().demand, pods, actions_.now());
    }

    DecayedUsage usage_;
    const Actions& actions_;
    OwnJobs& jobs_;
};

}  // namespace berth::sim

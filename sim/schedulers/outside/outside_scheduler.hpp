#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/profile/settings.hpp"
#include "sim/scheduler/scheduler.hpp"
#include "sim/schedulers/outside/outside_policy.hpp"

namespace berth::sim {

/// Drives a scheduler that the user wrote: keeps its lists of jobs and what is free, tells it what
/// happens, and gives it a turn after each instant at which something happened.
///
/// Cost: O(log jobs) per change, and O(resources) for each server that changed.
class OutsideScheduler final : public Scheduler {
public:
    /// All arguments outlive it.
    OutsideScheduler(const Settings& settings, Actions& actions, const MakePolicy& make);

    void submitted(JobId id) override;
    void started(JobId id, bool fresh) override;
    void evicted(JobId id, const Stay& stay, EvictionCause cause) override;
    void resize_asked(JobId id, core::Members size) override;
    void ended(JobId id) override;
    void server_changed(core::ServerId server,
                        bool up,
                        const std::vector<core::Amount>& outside,
                        bool foreseen) override;
    void drains_changed(bool foreseen) override;
    void woken(Timer timer) override;
    [[nodiscard]] std::optional<core::Violation> find_violation() override;
    [[nodiscard]] Refusal why_waiting(JobId id) override;
    [[nodiscard]] const std::string& quota_of(JobId id) override;
    [[nodiscard]] std::uint64_t decisions() const override { return act_.starts(); }

private:
    void note_change();
    void note_runs(JobId id);
    [[nodiscard]] bool is_given_up(JobId id) const;

    const Settings& settings_;
    Actions& actions_;
    JobOrder waiting_;
    JobOrder running_;
    FreeAmounts free_;
    Turns turns_;
    OutsideActions act_;
    std::uint64_t started_ = 0;  ///< How many starts there were; each start has a number.
    bool deciding_ = false;
    std::unique_ptr<OutsidePolicy> policy_;
};

}  // namespace berth::sim

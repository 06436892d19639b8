#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "schedulers/rounds/decide/server_places.hpp"
#include "schedulers/rounds/decide/tick_jobs.hpp"
#include "schedulers/rounds/decide/tick_policy.hpp"
#include "schedulers/rounds/run/rounds_scheduler.hpp"
#include "sim/job/by_job.hpp"

namespace berth::sim {

/// At multiples of a tick, if a job has come, has ended or has stopped since the last one, all jobs
/// are placed anew from the empty cluster, and all that get places are launched, on the same
/// servers too. What a job gives back between ticks is free at the next one.
///
/// Cost: that of the policy, and of stopping and launching each job, for each tick at which
///       something has changed.
class TickScheduler final : public RoundsScheduler {
public:
    /// All arguments outlive it.
    TickScheduler(const RoundsSettings& settings,
                  const TickRounds& own,
                  const Settings& of_run,
                  RecordSink& sink,
                  Actions& actions);

    void submitted(JobId id) override;
    void suspended(JobId id, const Stay& stay) override;
    void evicted(JobId id, const Stay& stay, EvictionCause cause) override;
    void ended(JobId id) override;
    void woken(Timer timer) override;
    [[nodiscard]] std::optional<core::Violation> find_violation() override;
    [[nodiscard]] Refusal why_waiting(JobId id) override;

private:
    [[nodiscard]] bool is_left_out(JobId id) const override { return !state_of(id).runs(); }
    [[nodiscard]] std::shared_ptr<RoundsInquiry> inquire(JobId id) override;
    /// Its position in the order; nothing if it has come since the last tick.
    [[nodiscard]] std::optional<std::size_t> position_of(JobId id);
    /// Looks up where all jobs stood at the last decision, unless that is known.
    void look_at_turns();
    void change();
    void wake_at(SimTime at);
    void leave(JobId id);
    std::size_t stop_all();
    void decide();
    void launch_all();
    /// The places of the job that has this position in `launched_`.
    [[nodiscard]] std::span<const core::rounds::Place> places_of(std::size_t position) const;

    const TickRounds& own_;
    std::unique_ptr<core::rounds::TickPolicy> policy_;
    core::rounds::ServerPlaces cluster_;
    core::rounds::TickJobs jobs_;
    ByJob<core::rounds::TickSlot> slots_;
    std::vector<JobId> ids_;  ///< By slot.
    std::vector<core::rounds::TickSlot> came_;
    core::rounds::TickPlaces places_;
    std::vector<core::rounds::TickSlot> launched_;  ///< At the last decision, as in `places_`.
    /// Of the last decision; both are empty until somebody asks.
    std::vector<core::rounds::MissedTurn> turns_;        ///< By position in the order.
    std::vector<std::optional<std::size_t>> positions_;  ///< By slot.
    std::size_t active_ = 0;
    bool changed_ = false;      ///< Whether anything has happened since the last decision.
    bool is_stopping_ = false;  ///< Whether jobs are suspended because of a decision.
    std::optional<SimTime> rings_at_;
};

}  // namespace berth::sim

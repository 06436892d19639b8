#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "schedulers/rounds/decide/server_places.hpp"
#include "schedulers/rounds/run/active_table.hpp"
#include "schedulers/rounds/run/lease_planner.hpp"
#include "schedulers/rounds/run/rounds_scheduler.hpp"

namespace berth::sim {

/// Rounds with leases. While a round goes on, the next one is planned. At its end, a job that has
/// the same GPUs in the next one goes on; all others are stopped, and those of the next round are
/// launched at its beginning. A job that ends, or whose batch size changes, still holds its GPUs
/// until the end of the last round that was planned with it.
///
/// Timers: the first one computes shares, after all that happens at an instant; the third one takes
///         a round from step to step.
/// Cost:   that of the policy, at each instant at which a job comes, ends, or changes its batch
///         size; O(jobs x log jobs) a round.
class LeaseScheduler final : public RoundsScheduler {
public:
    /// All arguments outlive it.
    LeaseScheduler(const RoundsSettings& settings,
                   const LeaseRounds& own,
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
    enum class Step : std::uint8_t { begin, plan, end };
    /// A row of leases.csv that may still grow.
    struct OpenLease {
        std::int64_t first_round = 0;
        core::rounds::Workers workers;
        std::string job;
    };

    [[nodiscard]] bool is_left_out(JobId id) const override {
        return !state_of(id).runs() && !next_.contains(number_of(id));
    }
    [[nodiscard]] std::shared_ptr<RoundsInquiry> inquire(JobId id) override {
        return planner_->inquire(number_of(id), gpus_of(id));
    }
    [[nodiscard]] std::uint32_t number_of(JobId id) const {
        return static_cast<std::uint32_t>(state_of(id).record.arrival);
    }
    void wake_for(Step step, SimTime at);
    void wake_up();
    void close_rows();
    void note_change();
    void plan_next();
    void begin_round();
    void end_round();
    void note_round(std::size_t ended);
    void note_leases();
    void add_lease(const OpenLease& lease, std::int64_t last_round);
    [[nodiscard]] std::vector<core::rounds::Place> places_of(
        const core::rounds::Workers& workers) const;

    const LeaseRounds& own_;
    std::unique_ptr<LeasePlanner> planner_;
    std::map<std::uint32_t, JobId> jobs_;  ///< Those that came and have not ended, by number.
    ActiveTable active_;                   ///< The same as the policy sees them.
    RoundPlan plan_;                       ///< That of the present round.
    RoundPlan next_;                       ///< That of the next one, if it is planned.
    std::map<std::uint32_t, OpenLease> open_;
    Step step_ = Step::plan;
    std::int64_t round_ = -1;    ///< The present one; -1: none has begun.
    std::int64_t planned_ = -1;  ///< The last one that was planned.
    std::int64_t noted_ = -1;    ///< The last one with a row.
    SimTime round_start_{};      ///< If none has begun, that of the first one.
    std::size_t came_ = 0;       ///< The jobs that had come, and not ended, when the round began.
    std::size_t launches_ = 0;   ///< Of the present round.
    bool goes_on_ = false;       ///< Whether rounds follow each other; they rest without jobs.
    bool is_stopping_ = false;   ///< Whether jobs are suspended since a round ends.
    std::optional<SimTime> change_;  ///< The instant of the last change.
};

}  // namespace berth::sim

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/defrag/move_problem.hpp"
#include "sim/profile/settings.hpp"
#include "sim/scheduler/passing_scheduler.hpp"
#include "sim/scheduler/scheduler_settings.hpp"

namespace berth::sim {

/// What a run's descheduler makes room for.
enum class DescheduleFor : std::uint8_t {
    waiting_jobs,   ///< Makes room for the first job that waits and finds no place.
    whole_gpus,     ///< Makes room for pods of one whole GPU, where GPUs are shared.
    whole_servers,  ///< Makes room for pods of as many GPUs as the largest server has.
};

/// A descheduler beside the scheduler of the profile: at each multiple of `every`, it moves running
/// pods to make room.
class DeschedulerSettings final : public SchedulerSettings {
public:
    SimTime every{};
    DescheduleFor policy = DescheduleFor::waiting_jobs;
    std::int64_t budget = 0;  ///< The most moves each time.

    [[nodiscard]] std::unique_ptr<Scheduler> make_scheduler(const Settings& settings,
                                                            RecordSink& sink,
                                                            Actions& actions) const override;
    /// `moves.csv`, a row for each move.
    [[nodiscard]] std::vector<std::string_view> tables() const override { return {"moves.csv"}; }
};

/// Passes everything on to the scheduler that decides which jobs start, and moves running pods at
/// its own times. A pod that moves loses the work since its last checkpoint; it stands on its new
/// server at once, and there was room for both places until then.
///
/// Order:  at a time of its own, it moves pods before the scheduler decides, one after the other.
/// Limits: only pods that are jobs of their own move: a group stays where it is. It has no turn
///         while nothing has arrived, started or ended since the last one.
/// Cost:   that of cluster_moves() and greedy_moves() for each turn.
class Descheduler final : public PassingScheduler {
public:
    /// All arguments outlive it.
    Descheduler(const DeschedulerSettings& own,
                const Settings& settings,
                std::unique_ptr<Scheduler> inner,
                RecordSink& sink,
                Actions& actions)
        : PassingScheduler(std::move(inner)),
          own_(own),
          settings_(settings),
          sink_(sink),
          actions_(actions) {}

    void submitted(JobId id) override;
    void started(JobId id, bool fresh) override;
    void moved(JobId id, const Stay& stay) override;
    void ended(JobId id) override;
    void woken(Timer timer) override;

private:
    void request_turn();
    void take_turn();
    [[nodiscard]] std::optional<core::RoomGoal> goal() const;

    const DeschedulerSettings& own_;
    const Settings& settings_;
    RecordSink& sink_;
    Actions& actions_;
    std::optional<SimTime> turn_at_;
    std::int64_t gained_ = 0;  ///< How many more pods of the goal fit after the present move.
};

}  // namespace berth::sim

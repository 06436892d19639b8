#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/support/source.hpp"
#include "core/tree/ids.hpp"
#include "schedulers/rounds/decide/tick_policy.hpp"
#include "schedulers/rounds/decide/worker_choice.hpp"
#include "sim/clock/time.hpp"
#include "sim/scheduler/scheduler_settings.hpp"

namespace berth::sim {

/// The GPUs that rounds give out. GPU k is on server k / `per_server`.
struct RoundsCluster {
    std::vector<core::ServerId> servers;  ///< Those with GPUs, in the order of the tree.
    std::size_t resource = 0;             ///< What counts the GPUs.
    std::int32_t per_server = 0;

    [[nodiscard]] std::int64_t gpus() const {
        return static_cast<std::int64_t>(servers.size()) * per_server;
    }
};

/// A row of a recorded schedule: in these rounds, the job has these GPUs.
struct RecordedLease {
    std::string job;
    std::int64_t first_round = 0;
    std::int64_t last_round = 0;
    core::rounds::Workers workers;  ///< Ascending.
    core::SourceSpan told;          ///< Where the row says which job it is about.
};

/// Rounds with leases, of which each is planned ahead while the one before goes on.
struct LeaseRounds {
    std::string policy;  ///< Empty: a recorded schedule decides.
    std::vector<RecordedLease> recorded;
    SimTime round = std::chrono::seconds(120);
    SimTime look_ahead = std::chrono::seconds(60);  ///< At most `round`.
    SimTime per_ended_lease{};     ///< So much longer is a round for each lease that it ends.
    std::optional<SimTime> start;  ///< Of the first round; nothing: the first arrival.
};

/// Ticks at which all jobs may be placed anew.
struct TickRounds {
    std::string policy;
    SimTime tick{};
    core::rounds::QueueLimits queues{std::chrono::seconds(3250), std::chrono::seconds(7200)};
};

/// A scheduler that decides in rounds, for jobs that train models.
struct RoundsSettings final : SchedulerSettings {
    /// Those of a run that is decided in rounds; nullptr for any other run.
    [[nodiscard]] static const RoundsSettings* of(const Settings& settings);

    [[nodiscard]] std::unique_ptr<Scheduler> make_scheduler(const Settings& settings,
                                                            RecordSink& sink,
                                                            Actions& actions) const override;
    [[nodiscard]] std::string why_alone() const override {
        return "rounds give GPUs to all jobs that have arrived: expected rounds alone";
    }

    [[nodiscard]] std::vector<std::string_view> tables() const override;

    RoundsCluster cluster;
    SimTime launch{};  ///< How long a lease lasts before its job begins to train.
    std::variant<LeaseRounds, TickRounds> kind;
};

}  // namespace berth::sim

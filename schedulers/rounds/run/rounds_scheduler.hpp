#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "schedulers/rounds/run/rounds_inquiry.hpp"
#include "schedulers/rounds/run/rounds_settings.hpp"
#include "sim/profile/job_observer.hpp"
#include "sim/profile/placer.hpp"
#include "sim/profile/settings.hpp"
#include "sim/scheduler/scheduler.hpp"

namespace berth::sim {

/// The tables that a run in rounds writes, in the order of RoundsSettings::tables().
enum class RoundsTable : std::uint8_t { rounds, leases };

/// What both kinds of rounds share.
class RoundsScheduler : public Scheduler {
public:
    [[nodiscard]] std::optional<std::string> rejects(JobId id) override;
    void resize_asked(JobId id, core::Members size) override;
    [[nodiscard]] bool ends_leases() const override { return true; }
    [[nodiscard]] const std::string& quota_of(JobId /*id*/) override { return no_quota_; }
    [[nodiscard]] std::uint64_t decisions() const override { return decisions_; }
    void watch(std::uint64_t arrival, JobObserver& observer) override;

protected:
    /// All arguments outlive it.
    RoundsScheduler(const RoundsSettings& settings,
                    const Settings& of_run,
                    RecordSink& sink,
                    Actions& actions)
        : settings_(settings), of_run_(of_run), sink_(sink), actions_(actions) {}

    [[nodiscard]] const JobState& state_of(JobId id) const { return actions_.job(id); }
    /// The GPUs that a job asks for: one for each of its pods.
    [[nodiscard]] std::int32_t gpus_of(JobId id) const {
        return static_cast<std::int32_t>(state_of(id).job().size);
    }
    /// A job that waits, or is suspended, gets so many GPUs on each server, which are ascending.
    void launch(JobId id, std::span<const core::rounds::Place> places);
    void add_round(std::int64_t round,
                   SimTime start,
                   std::size_t active,
                   std::size_t scheduled,
                   std::size_t ended,
                   std::size_t launches);
    /// Whether a running job has exactly these GPUs on servers, which are ascending.
    [[nodiscard]] std::optional<core::Violation> find_misplaced(
        JobId id, std::span<const core::rounds::Place> places) const;

    /// Jobs were chosen: shows who watches one of them that it was not.
    void tell_watcher();
    /// Whether a job was not chosen at the last decision.
    [[nodiscard]] virtual bool is_left_out(JobId id) const = 0;
    /// Where such a job stood; nullptr if there is no order.
    [[nodiscard]] virtual std::shared_ptr<RoundsInquiry> inquire(JobId id) = 0;

    const RoundsSettings& settings_;
    const Settings& of_run_;
    RecordSink& sink_;
    Actions& actions_;
    std::uint64_t decisions_ = 0;

private:
    struct Watched {
        std::uint64_t arrival;
        JobObserver& observer;
        Placer placer;  ///< Observers may ask it, as in a run with a profile.
    };

    void show(JobId id);

    const std::string no_quota_;
    std::optional<Watched> watched_;
};

}  // namespace berth::sim

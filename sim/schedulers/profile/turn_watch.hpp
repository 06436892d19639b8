#pragma once

#include <cstdint>
#include <optional>

#include "sim/profile/admission.hpp"
#include "sim/profile/job_observer.hpp"
#include "sim/profile/placer.hpp"
#include "sim/profile/settings.hpp"
#include "sim/queue/waiting_queue.hpp"

namespace berth::sim {

/// Tells of one job whose turns somebody wants to see, in the cycles of the profile's scheduler;
/// nothing while nobody does. It changes nothing.
class TurnWatch {
public:
    /// All outlive it.
    TurnWatch(const Settings& settings,
              const Actions& actions,
              Placer& placer,
              Admission& admission,
              WaitingQueue& queue,
              OwnJobs& jobs);

    void watch(std::uint64_t arrival, JobObserver& observer);
    void submitted(JobId id);
    void begin_cycle();
    /// Somebody is about to be tried, or, without a number, nobody any more in this cycle.
    void turn(std::optional<JobId> next, const Job* held_up_by);

private:
    [[nodiscard]] const JobState* watched() const;
    void tell(const JobState& state, const Job* held_up_by);

    const Settings& settings_;
    const Actions& actions_;
    Placer& placer_;
    Admission& admission_;
    WaitingQueue& queue_;
    OwnJobs& jobs_;
    JobObserver* observer_ = nullptr;
    std::uint64_t arrival_ = 0;
    std::optional<JobId> id_;
    std::optional<std::uint64_t> entry_;  ///< Into the queue, of which a turn was told.
    bool asked_ = false;                  ///< In this cycle, it or one that asks for the same.
    bool told_ = false;                   ///< In this cycle.
};

}  // namespace berth::sim

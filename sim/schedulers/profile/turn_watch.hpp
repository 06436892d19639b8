#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/profile/admission.hpp"
#include "sim/profile/job_observer.hpp"
#include "sim/profile/placer.hpp"
#include "sim/profile/settings.hpp"
#include "sim/queue/waiting_queue.hpp"

namespace berth::sim {

/// Reports the turns of one job in the cycles of the profile's scheduler to an observer, if there
/// is one. It changes nothing.
class TurnWatch {
public:
    /// All arguments outlive it.
    TurnWatch(const Settings& settings,
              const Actions& actions,
              Placer& placer,
              Admission& admission,
              WaitingQueue& queue,
              OwnJobs& jobs);

    void watch(std::uint64_t arrival, JobObserver& observer);
    void submitted(JobId id);
    void begin_cycle();
    /// The job `next` is about to be tried or, if there is none, no other job is tried in this
    /// cycle.
    void turn(std::optional<JobId> next, const Job* held_up_by);
    /// An event is over: it may have been decided about a job that is kept out of the queue.
    void event_handled();

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
    std::optional<std::uint64_t> entry_;  ///< The queue entry for which a turn was reported.
    bool asked_ = false;                  ///< Whether it, or a job that asks for the same, was
                                          ///< tried in this cycle.
    bool told_ = false;                   ///< Whether a turn was reported in this cycle.
    KeptOut kept_out_;                    ///< What was last reported if the job is not let in.
};

}  // namespace berth::sim

#pragma once

#include "experiments/program/support/own_process.hpp"
#include "sim/job/job_state.hpp"
#include "sim/schedulers/outside/scheduler_error.hpp"

namespace berth::python {

/// The message of whatever Python does with a run in a forked copy of its process.
inline constexpr const char* of_another_process =
    "the run belongs to the process that began it, and this one is a forked copy: expected it to "
    "be used only there";

/// The jobs of a run, while Python may look at it. Python may keep objects of it for longer.
class SeenJobs {
public:
    SeenJobs() = default;
    virtual ~SeenJobs() = default;
    SeenJobs(const SeenJobs&) = delete;
    SeenJobs& operator=(const SeenJobs&) = delete;

    /// Errors: sim::SchedulerError while looking is not allowed.
    [[nodiscard]] virtual const sim::JobState& job(sim::JobId id) const = 0;

protected:
    /// Errors: sim::SchedulerError in a forked copy of the run's process, which has none of the
    ///         run's threads, and where the run is not shown.
    void check(bool shown) const {
        if (!process_.is_here()) {
            throw sim::SchedulerError(of_another_process);
        }
        if (!shown) {
            throw sim::SchedulerError(
                "the run is over, or going on right now: expected a look at it only while it calls "
                "Python");
        }
    }

private:
    experiments::OwnProcess process_;
};

}  // namespace berth::python

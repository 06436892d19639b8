#pragma once

#include "sim/job/job_state.hpp"

namespace berth::python {

/// The jobs of a run, while Python may look at it. Python may keep objects of it for longer.
class SeenJobs {
public:
    SeenJobs() = default;
    virtual ~SeenJobs() = default;
    SeenJobs(const SeenJobs&) = delete;
    SeenJobs& operator=(const SeenJobs&) = delete;

    /// Errors: sim::SchedulerError while looking is not allowed.
    [[nodiscard]] virtual const sim::JobState& job(sim::JobId id) const = 0;

    /// The message for looking at a run when that is not allowed.
    static constexpr const char* hidden =
        "the run is over, or goes on meanwhile: expected a look at it while it calls Python";
};

}  // namespace berth::python

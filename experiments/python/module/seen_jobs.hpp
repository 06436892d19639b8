#pragma once

#include "sim/job/job_state.hpp"

namespace berth::python {

/// The jobs of a run, while Python may look at it. Objects of Python may be kept longer.
class SeenJobs {
public:
    SeenJobs() = default;
    virtual ~SeenJobs() = default;
    SeenJobs(const SeenJobs&) = delete;
    SeenJobs& operator=(const SeenJobs&) = delete;

    /// Errors: sim::SchedulerError while nobody may look.
    [[nodiscard]] virtual const sim::JobState& job(sim::JobId id) const = 0;

    /// What those are told who look at a run when they may not.
    static constexpr const char* hidden =
        "the run is over, or goes on meanwhile: expected a look at it while it calls Python";
};

}  // namespace berth::python

#pragma once

#include "sim/job/job_state.hpp"

namespace berth::python {

/// The jobs of a run, as long as it lasts. Objects of Python may be kept longer.
class SeenJobs {
public:
    SeenJobs() = default;
    virtual ~SeenJobs() = default;
    SeenJobs(const SeenJobs&) = delete;
    SeenJobs& operator=(const SeenJobs&) = delete;

    /// Errors: sim::SchedulerError once the run is over.
    [[nodiscard]] virtual const sim::JobState& job(sim::JobId id) const = 0;
};

}  // namespace berth::python

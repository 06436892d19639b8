#pragma once

#include <algorithm>

#include "core/support/assert.hpp"
#include "sim/job/checkpoint.hpp"
#include "sim/job/job_state.hpp"
#include "sim/job/run_time_model.hpp"

namespace berth::sim {

/// What is left of a job's run time: of the time that its user states for all of the job, or else
/// of the time that its work takes with its checkpoints and a restart that is to come; `never` if
/// there is neither.
[[nodiscard]] inline SimTime expected_run(const JobState& state) {
    const Job& job = state.job();
    const auto stated = job.stated_duration();
    if (!stated) {
        return never;
    }
    if (job.checkpoint && !job.estimate && state.left) {
        return run_time_with(*job.checkpoint, state.restart, *state.left, slow_down_unit);
    }
    const SimTime done = state.left ? *job.duration - *state.left : SimTime(0);
    BERTH_ASSERT(done >= SimTime(0), "no more work is left than there was");
    return std::max(*stated - done, SimTime(0));
}

/// When a running job is expected to leave.
[[nodiscard]] inline SimTime expected_end(const JobState& state) {
    BERTH_ASSERT(state.record.start, "a job that runs has an end to expect");
    return after(*state.record.start, expected_run(state));
}

}  // namespace berth::sim

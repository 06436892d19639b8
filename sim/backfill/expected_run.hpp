#pragma once

#include <algorithm>

#include "core/support/assert.hpp"
#include "sim/job/job_state.hpp"

namespace berth::sim {

/// What is left of a job's run time, as its user states it or else its duration; `never` if there
/// is neither.
[[nodiscard]] inline SimTime expected_run(const JobState& state) {
    const auto stated = state.job().stated_duration();
    if (!stated) {
        return never;
    }
    const SimTime done = state.left ? *state.job().duration - *state.left : SimTime(0);
    BERTH_ASSERT(done >= SimTime(0), "no more work is left than there was");
    return std::max(*stated - done, SimTime(0));
}

/// When a running job is expected to leave.
[[nodiscard]] inline SimTime expected_end(const JobState& state) {
    BERTH_ASSERT(state.record.start, "a job that runs has an end to expect");
    const SimTime start = *state.record.start;
    const SimTime run = expected_run(state);
    return run < never - start ? start + run : never;
}

}  // namespace berth::sim

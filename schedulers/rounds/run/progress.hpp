#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/clock/time.hpp"
#include "sim/job/job_state.hpp"
#include "sim/job/training.hpp"

namespace berth::sim {

/// How far a training job is at some instant.
struct Progress {
    MicroSteps left = 0;
    MicroSteps speed = 0;  ///< What is believed: that of the table, for its batch size.
    SimTime ran{};         ///< In leases that are over, with launches.
    SimTime running{};     ///< In the present lease, with its launch.
};

[[nodiscard]] inline Progress progress_of(const JobState& state, SimTime now) {
    const Training& training = *state.job().training;
    Progress progress;
    progress.left = training.left();
    progress.speed = training.usual_speed(training.batch_size());
    progress.ran = state.record.ran_before;
    if (state.runs() && state.working_since) {
        progress.running = now - *state.working_since;
        const SimTime trains = std::max(progress.running - state.restart, SimTime(0));
        progress.left = std::max(progress.left - steps_in(trains, training.speed()), MicroSteps{0});
    }
    return progress;
}

}  // namespace berth::sim

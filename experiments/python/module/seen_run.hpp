#pragma once

#include "sim/schedulers/outside/outside_actions.hpp"
#include "sim/schedulers/outside/scheduler_error.hpp"

namespace berth::python {

/// A run as long as it lasts. Objects of Python may be kept longer.
struct SeenRun {
    const sim::OutsideActions* see = nullptr;

    /// Errors: sim::SchedulerError once the run is over.
    [[nodiscard]] const sim::OutsideActions& operator()() const {
        if (see == nullptr) {
            throw sim::SchedulerError(
                "the run is over: expected a look at it while it is under way");
        }
        return *see;
    }
};

}  // namespace berth::python

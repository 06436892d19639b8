#pragma once

#include "experiments/python/module/seen_jobs.hpp"
#include "sim/schedulers/outside/outside_actions.hpp"
#include "sim/schedulers/outside/scheduler_error.hpp"

namespace berth::python {

/// A run as a scheduler that decides everything sees it, as long as it lasts.
class SeenRun final : public SeenJobs {
public:
    explicit SeenRun(const sim::OutsideActions& see) : see_(&see) {}

    void end() { see_ = nullptr; }
    /// Errors: sim::SchedulerError once the run is over.
    [[nodiscard]] const sim::OutsideActions& operator()() const {
        if (see_ == nullptr) {
            throw sim::SchedulerError(
                "the run is over: expected a look at it while it is under way");
        }
        return *see_;
    }
    [[nodiscard]] const sim::JobState& job(sim::JobId id) const override {
        return (*this)().job(id);
    }

private:
    const sim::OutsideActions* see_;
};

}  // namespace berth::python

#pragma once

#include "experiments/python/module/seen_jobs.hpp"
#include "sim/schedulers/outside/outside_actions.hpp"
#include "sim/schedulers/outside/scheduler_error.hpp"

namespace berth::python {

/// A run as a scheduler that decides everything sees it, as long as it lasts.
class SeenRun final : public SeenJobs {
public:
    /// Null: it is over, or goes on meanwhile.
    explicit SeenRun(const sim::OutsideActions* see) : see_(see) {}

    void show(const sim::OutsideActions* see) { see_ = see; }
    void hide() { see_ = nullptr; }
    [[nodiscard]] bool shown() const { return see_ != nullptr; }
    /// Errors: sim::SchedulerError where nothing is shown.
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

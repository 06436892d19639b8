#pragma once

#include <utility>

#include "experiments/python/module/seen_jobs.hpp"
#include "sim/schedulers/outside/outside_actions.hpp"
#include "sim/schedulers/outside/scheduler_error.hpp"

namespace berth::python {

/// A run as a scheduler that decides everything sees it. It is hidden at first, and whenever it
/// goes on: another thread that kept something of it would see it change under its hands.
class SeenRun final : public SeenJobs {
public:
    /// Shows the run for as long as it lives. The caller holds the GIL at both ends.
    class Look {
    public:
        Look(SeenRun& run, const sim::OutsideActions& see)
            : run_(run), before_(std::exchange(run.see_, &see)) {}
        ~Look() { run_.see_ = before_; }
        Look(const Look&) = delete;
        Look& operator=(const Look&) = delete;

    private:
        SeenRun& run_;
        const sim::OutsideActions* before_;
    };

    void show(const sim::OutsideActions* see) { see_ = see; }
    void hide() { see_ = nullptr; }
    [[nodiscard]] bool shown() const { return see_ != nullptr; }
    /// Errors: sim::SchedulerError where nothing is shown.
    [[nodiscard]] const sim::OutsideActions& operator()() const {
        if (see_ == nullptr) {
            throw sim::SchedulerError(hidden);
        }
        return *see_;
    }
    [[nodiscard]] const sim::JobState& job(sim::JobId id) const override {
        return (*this)().job(id);
    }

private:
    const sim::OutsideActions* see_ = nullptr;
};

}  // namespace berth::python

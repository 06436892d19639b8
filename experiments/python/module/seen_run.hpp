#pragma once

#include <utility>

#include "experiments/python/module/seen_jobs.hpp"
#include "sim/schedulers/outside/outside_actions.hpp"

namespace berth::python {

/// A run as a scheduler that decides everything sees it. It is hidden at first and whenever the run
/// goes on: otherwise, a thread that kept an object of it would see it change at any moment.
class SeenRun final : public SeenJobs {
public:
    /// Shows the run for as long as this object lives. The caller holds the GIL when it makes and
    /// drops the object.
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
    /// Errors: sim::SchedulerError where the run is hidden, and in a forked copy of its process.
    [[nodiscard]] const sim::OutsideActions& operator()() const {
        check(see_ != nullptr);
        return *see_;
    }
    [[nodiscard]] const sim::JobState& job(sim::JobId id) const override {
        return (*this)().job(id);
    }

private:
    const sim::OutsideActions* see_ = nullptr;
};

}  // namespace berth::python

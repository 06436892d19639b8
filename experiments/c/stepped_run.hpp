#pragma once

#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <semaphore>
#include <thread>

#include "core/support/value.hpp"
#include "experiments/c/berth.h"
#include "experiments/c/caller_policy.hpp"
#include "experiments/c/finished_run.hpp"
#include "experiments/program/config/experiment_spec.hpp"
#include "sim/run/run_control.hpp"

namespace berth::c {

/// A run in a thread of its own, which stands still while the caller has its turn: of the two
/// threads one goes on at a time.
///
/// Cost: two changes of threads a turn.
class SteppedRun {
public:
    /// Both outlive it. The experiment leaves it to the caller to decide.
    SteppedRun(const experiments::ExperimentSpec& spec,
               const core::Value& document,
               std::optional<std::filesystem::path> folder);
    /// A run that is not over leaves nothing.
    ~SteppedRun();
    SteppedRun(const SteppedRun&) = delete;
    SteppedRun& operator=(const SteppedRun&) = delete;

    /// Lets the run go on to the next turn. Returns whether there is one.
    /// Errors: what ended the run.
    [[nodiscard]] bool next();
    /// Whose turn it is; nullptr: the run is over or has not begun.
    [[nodiscard]] CallerTurn* turn() const { return turn_; }
    /// Of a run that is over, once.
    [[nodiscard]] FinishedRun take() { return std::move(*finished_); }

private:
    class Policy;
    /// Ends a run that nobody goes on with.
    struct Abandoned : std::exception {};
    void run();
    void hand_over(CallerTurn& turn);

    experiments::ExperimentSpec spec_;
    const core::Value& document_;
    std::optional<std::filesystem::path> folder_;
    sim::RunControl control_;
    std::binary_semaphore goes_on_{0};  ///< The run may go on.
    std::binary_semaphore stands_{0};   ///< It stands, or is over.
    CallerTurn* turn_ = nullptr;
    bool abandoned_ = false;
    std::optional<FinishedRun> finished_;
    std::exception_ptr failed_;
    std::thread thread_;
};

}  // namespace berth::c

#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "core/support/value.hpp"
#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/stored/stored_run.hpp"
#include "experiments/python/module/shown_queue.hpp"
#include "sim/run/run_control.hpp"
#include "sim/schedulers/outside/outside_policy.hpp"

namespace berth::python {

/// What an environment says of its last step, one number each. Their owner keeps them as long as it
/// lives.
struct StepNumbers {
    double* now = nullptr;           ///< Seconds.
    double* reward = nullptr;        ///< Minus the pod-hours that jobs waited in it.
    std::int8_t* invalid = nullptr;  ///< Whether the action could not be carried out.
    std::int8_t* over = nullptr;     ///< Whether the run is over.
};

/// A run of one replication, in a thread of its own, in which actions decide which job starts
/// where: docs/reference/python.md. It needs nothing of Python, so that many go on at once.
///
/// Whoever uses it alternates: begin() or act(), then wait(), and the arrays show what to act on.
class Environment {
public:
    Environment(const EnvironmentShape& shape, QueueArrays queue, StepNumbers step);
    /// Ends the run that is under way.
    ~Environment();
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

    /// Begins a run; one that is under way ends.
    void begin(std::shared_ptr<const experiments::ExperimentSpec> spec,
               std::shared_ptr<const core::Value> resolved);
    /// Carries out one of the shape's actions. Once the run is over, nothing happens.
    void act(std::int64_t action);
    /// Waits until it can act again.
    /// Returns: false where that took longer.
    /// Errors: what ended the run.
    [[nodiscard]] bool wait(std::chrono::milliseconds at_most);
    void stop();
    /// Whether its run goes on in the process of which this one is a copy. Nobody may drop it then:
    /// what that run's thread waits for would be waited for.
    [[nodiscard]] bool is_copy() const;

    /// A run that is over and was not stopped; given once.
    [[nodiscard]] std::optional<experiments::StoredRun> take_run() {
        return std::exchange(run_, {});
    }
    /// Of the random choices of the run.
    [[nodiscard]] std::uint64_t seed() const { return seed_; }
    /// The run, while an action is waited for; otherwise nullptr.
    [[nodiscard]] const sim::OutsideActions* see() const { return see_; }
    /// Jobs that have ended since this was called last.
    [[nodiscard]] std::vector<sim::JobId> take_ended() { return std::exchange(ended_, {}); }

private:
    enum class State : std::uint8_t { idle, running, asking, over };
    class Policy;

    void simulate(const experiments::ExperimentSpec& spec, const core::Value& resolved);
    void turn(sim::OutsideActions& act);
    bool carry_out(sim::OutsideActions& act);
    [[nodiscard]] bool ask(const sim::OutsideActions& see);
    void tell_step(bool over);
    void is_over();

    ShownQueue queue_;
    StepNumbers step_;
    std::thread thread_;
    pid_t process_ = 0;  ///< In which that thread is; a copy of the process has none of it.
    std::unique_ptr<sim::RunControl> control_;

    std::mutex mutex_;
    std::condition_variable changed_;
    State state_ = State::idle;  ///< Guarded by the mutex, as are the next two.
    bool is_stopped_ = false;
    std::int64_t action_ = 0;

    /// While the state is `running`, what follows is the run's thread's, else everybody's.
    std::exception_ptr failed_;
    std::optional<experiments::StoredRun> run_;
    std::uint64_t seed_ = 0;
    const sim::OutsideActions* see_ = nullptr;
    std::vector<sim::JobId> ended_;
    sim::SimTime now_{0};
    double pod_hours_waited_ = 0;
    bool invalid_ = false;
};

}  // namespace berth::python

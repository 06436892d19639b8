#pragma once

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

/// The numbers that an environment reports about its last step, one each. Their owner keeps them
/// alive as long as the environment lives.
struct StepNumbers {
    double* now = nullptr;           ///< The time in seconds.
    double* reward = nullptr;        ///< Minus the pod-hours that jobs spent waiting in the step.
    std::int8_t* invalid = nullptr;  ///< Whether the action could not be carried out.
    std::int8_t* over = nullptr;     ///< Whether the run is over.
};

/// A run of one replication, in a thread of its own, in which actions decide which job starts
/// where: docs/reference/python.md. It does not use Python, so many of them can run at once.
///
/// The caller alternates between begin() or act(), and wait(). After wait() the arrays show the
/// state to act on. Several threads may call it; it then does what the last of them said.
class Environment {
public:
    Environment(const EnvironmentShape& shape, QueueArrays queue, StepNumbers step);
    /// Ends the current run, if any.
    ~Environment();
    Environment(const Environment&) = delete;
    Environment& operator=(const Environment&) = delete;

    /// Begins a run. If another one is under way, that one ends.
    void begin(std::shared_ptr<const experiments::ExperimentSpec> spec,
               std::shared_ptr<const core::Value> resolved);
    /// Carries out one of the shape's actions. Once the run is over, this does nothing.
    void act(std::int64_t action);
    /// Waits until the environment can act again.
    /// Returns: false if that takes longer than `at_most`.
    /// Errors: the error that ended the run.
    [[nodiscard]] bool wait(std::chrono::milliseconds at_most);
    void stop();

    /// The results of a run that is over and was not stopped. They are given out once.
    [[nodiscard]] std::optional<experiments::StoredRun> take_run();
    /// The seed of the run's random choices.
    [[nodiscard]] std::uint64_t seed() const { return seed_; }
    /// The run, while it waits for an action; otherwise nullptr.
    [[nodiscard]] const sim::OutsideActions* see();
    /// The jobs that have ended since the last call.
    [[nodiscard]] std::vector<sim::JobId> take_ended();

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
    std::unique_ptr<sim::RunControl> control_;

    std::mutex mutex_;
    std::condition_variable changed_;
    State state_ = State::idle;  ///< The mutex guards this and the next two members.
    bool is_stopped_ = false;
    std::int64_t action_ = 0;

    /// While the state is `running`, the members below belong to the run's thread; otherwise any
    /// thread may use them.
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

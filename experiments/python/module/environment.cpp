#include "experiments/python/module/environment.hpp"

#include <ratio>
#include <utility>

#include "experiments/program/run/run_experiment.hpp"
#include "experiments/program/stored/stored_run.hpp"
#include "sim/clock/time.hpp"
#include "sim/schedulers/outside/scheduler_error.hpp"

namespace berth::python {

/// Lets the environment's caller decide.
class Environment::Policy final : public sim::OutsidePolicy {
public:
    explicit Policy(Environment& environment) : environment_(environment) {}
    void decide(sim::OutsideActions& act) override { environment_.turn(act); }
    void ended(sim::JobId id) override { environment_.ended_.push_back(id); }
    [[nodiscard]] std::string why_waiting(sim::JobId /*id*/) override {
        return "no action started it.";
    }

private:
    Environment& environment_;
};

Environment::Environment(const EnvironmentShape& shape, QueueArrays queue, StepNumbers step)
    : queue_(shape, queue), step_(step) {}

Environment::~Environment() {
    stop();
}

void Environment::begin(std::shared_ptr<const experiments::ExperimentSpec> spec,
                        std::shared_ptr<const core::Value> resolved) {
    stop();
    const std::lock_guard lock(mutex_);
    control_ = std::make_unique<sim::RunControl>();
    failed_ = nullptr;
    run_.reset();
    ended_.clear();
    now_ = sim::SimTime(0);
    pod_hours_waited_ = 0;
    invalid_ = false;
    thread_ = std::thread([this, spec = std::move(spec), resolved = std::move(resolved)] {
        simulate(*spec, *resolved);
    });
    state_ = State::running;  // the system may have had no thread, and then nothing runs
}

void Environment::stop() {
    if (!thread_.joinable()) {
        return;
    }
    control_->stop = true;
    {
        const std::lock_guard lock(mutex_);
        is_stopped_ = true;
    }
    changed_.notify_all();
    thread_.join();
    const std::lock_guard lock(mutex_);
    is_stopped_ = false;
    state_ = State::idle;
    changed_.notify_all();
}

std::optional<experiments::StoredRun> Environment::take_run() {
    const std::lock_guard lock(mutex_);
    return state_ == State::running ? std::nullopt : std::exchange(run_, {});
}

std::vector<sim::JobId> Environment::take_ended() {
    const std::lock_guard lock(mutex_);
    return state_ == State::running ? std::vector<sim::JobId>() : std::exchange(ended_, {});
}

const sim::OutsideActions* Environment::see() {
    const std::lock_guard lock(mutex_);
    return see_;
}

void Environment::act(std::int64_t action) {
    {
        const std::lock_guard lock(mutex_);
        if (state_ != State::asking) {
            return;
        }
        see_ = nullptr;
        action_ = action;
        state_ = State::running;
    }
    changed_.notify_all();
}

bool Environment::wait(std::chrono::milliseconds at_most) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, at_most, [this] { return state_ != State::running; })) {
        return false;
    }
    if (failed_) {
        std::rethrow_exception(std::exchange(failed_, nullptr));
    }
    return true;
}

void Environment::simulate(const experiments::ExperimentSpec& given, const core::Value& resolved) {
    try {
        experiments::ExperimentSpec spec = given;
        spec.outside->make = [this](std::uint32_t /*replication*/, std::uint64_t seed) {
            seed_ = seed;
            return [this](const sim::OutsideActions& /*see*/) {
                return std::make_unique<Policy>(*this);
            };
        };
        experiments::MemoryFiles files;
        const auto report = experiments::run_experiment(spec, resolved, files, {}, *control_);
        if (!report.interrupted) {
            run_.emplace(files.take());
        }
    } catch (...) {
        failed_ = std::current_exception();
    }
    is_over();
}

void Environment::is_over() {
    queue_.show_nothing();
    tell_step(true);
    {
        const std::lock_guard lock(mutex_);
        see_ = nullptr;
        state_ = State::over;
    }
    changed_.notify_all();
}

/// Acts at one instant, as long as a job can be started and until an action lets time go on.
void Environment::turn(sim::OutsideActions& act) {
    pod_hours_waited_ += static_cast<double>(queue_.pods_waiting()) *
                         std::chrono::duration<double, std::ratio<3600>>(act.now() - now_).count();
    now_ = act.now();
    queue_.look(act);
    while (queue_.can_start() && ask(act)) {
        const bool started = carry_out(act);
        queue_.look(act);
        if (!started) {
            return;
        }
    }
}

/// Carries out the action.
/// Returns: whether the action started a job.
bool Environment::carry_out(sim::OutsideActions& act) {
    invalid_ = false;
    if (action_ == queue_.action_count() - 1) {
        return false;
    }
    auto start = queue_.start_of(act, action_);
    try {
        if (start) {
            act.start(start->first, std::move(start->second));
            return true;
        }
    } catch (const sim::SchedulerError&) {
        // The free room that the group's members share was not enough for all of them.
    }
    invalid_ = true;
    return false;
}

/// Waits for an action.
/// Returns: false if the run is to end.
bool Environment::ask(const sim::OutsideActions& see) {
    std::unique_lock lock(mutex_);
    if (is_stopped_) {
        return false;
    }
    tell_step(false);
    see_ = &see;
    state_ = State::asking;
    changed_.notify_all();
    changed_.wait(lock, [this] { return is_stopped_ || state_ == State::running; });
    return !is_stopped_;
}

void Environment::tell_step(bool over) {
    *step_.now = sim::seconds(now_);
    *step_.reward = -std::exchange(pod_hours_waited_, 0);
    *step_.invalid = invalid_ ? 1 : 0;
    *step_.over = over ? 1 : 0;
    invalid_ = false;
}

}  // namespace berth::python

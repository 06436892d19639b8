#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "experiments/program/support/own_process.hpp"
#include "experiments/python/module/python_calls.hpp"
#include "experiments/python/module/scheduler_job.hpp"
#include "experiments/python/module/seen_run.hpp"
#include "sim/schedulers/outside/outside_policy.hpp"

namespace berth::python {

/// What a scheduler in Python sees: `view` of docs/reference/python.md.
class View {
public:
    View(std::shared_ptr<const SeenRun> run,
         const sim::OutsideActions& see,
         std::uint32_t replication,
         std::uint64_t seed);

    /// Functions that look at the run have this error: sim::SchedulerError where the run is not
    /// shown.
    [[nodiscard]] double now() const;
    [[nodiscard]] pybind11::list waiting();
    [[nodiscard]] pybind11::list running();
    [[nodiscard]] pybind11::list servers();
    [[nodiscard]] pybind11::object free();
    [[nodiscard]] pybind11::object capacity();
    [[nodiscard]] std::vector<std::string> resources() const;
    [[nodiscard]] std::vector<core::Amount> per_unit() const;
    [[nodiscard]] std::uint32_t replication() const { return replication_; }
    [[nodiscard]] std::uint64_t seed() const { return seed_; }

    /// The Python object for a job, which stays the same until the job has ended.
    [[nodiscard]] pybind11::object job(sim::JobId id);
    void forget(sim::JobId id);

private:
    [[nodiscard]] const sim::OutsideActions& see() const { return (*run_)(); }
    [[nodiscard]] pybind11::list jobs_of(const sim::JobOrder& order);

    std::shared_ptr<const SeenRun> run_;
    std::uint32_t replication_;
    std::uint64_t seed_;
    std::unordered_map<std::uint32_t, pybind11::object> jobs_;  ///< Looked up, never iterated.
    pybind11::object servers_;
    pybind11::object free_;
    pybind11::object capacity_;
    std::shared_ptr<std::vector<core::Amount>> capacities_;
};

/// A server as a scheduler in Python sees it.
class Server {
public:
    Server(std::shared_ptr<const SeenRun> run, core::ServerId id);
    [[nodiscard]] std::uint32_t index() const { return id_.index; }
    [[nodiscard]] const std::string& name() const { return name_; }
    /// The names of the nodes above the server, from below the root on.
    [[nodiscard]] std::vector<std::string> path() const;
    /// Whether the server takes pods.
    [[nodiscard]] bool up() const;

private:
    std::shared_ptr<const SeenRun> run_;
    core::ServerId id_;
    std::string name_;
};

/// The verbs of a scheduler in Python: `act`. They may be used only while schedule() runs, in the
/// same thread, and not by what a verb calls.
class Act {
public:
    /// The verbs may be used as long as this object lives.
    class Turn {
    public:
        Turn(Act& act, sim::OutsideActions& acting) : act_(act) {
            act_.act_ = &acting;
            act_.thread_ = std::this_thread::get_id();
        }
        ~Turn() { act_.act_ = nullptr; }
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;

    private:
        Act& act_;
    };

    /// The verbs may not be used as long as this object lives: one of them may be at work.
    class Pause {
    public:
        explicit Pause(Act& act) : act_(act), before_(std::exchange(act.act_, nullptr)) {}
        ~Pause() { act_.act_ = before_; }
        Pause(const Pause&) = delete;
        Pause& operator=(const Pause&) = delete;

    private:
        Act& act_;
        sim::OutsideActions* before_;
    };

    /// From now on, the verbs may not be used: one of them was interrupted by an exception.
    void fail() { has_failed_ = true; }

    /// Takes only jobs of that run.
    explicit Act(std::shared_ptr<const SeenJobs> jobs) : jobs_(std::move(jobs)) {}

    /// Errors: sim::SchedulerError for an argument that is not a job, a placement, ..., and where
    ///         OutsideActions throws it.
    void start(const pybind11::object& job, const pybind11::object& placement);
    void evict(const pybind11::object& job);
    bool resize(const pybind11::object& job, const pybind11::object& placement);
    void reject(const pybind11::object& job, const pybind11::object& reason);
    void wake(const pybind11::object& at);

private:
    [[nodiscard]] sim::OutsideActions& acting() const;
    [[nodiscard]] sim::SchedulerError wrong(const std::string& what) const;
    [[nodiscard]] const SchedulerJob& checked(const pybind11::object& job, const char* verb) const;
    [[nodiscard]] std::vector<core::PlacedNode> placed(const SchedulerJob& job,
                                                       const pybind11::object& placement) const;

    std::shared_ptr<const SeenJobs> jobs_;
    experiments::OwnProcess process_;
    sim::OutsideActions* act_ = nullptr;
    std::thread::id thread_;  ///< The thread that runs schedule().
    bool has_failed_ = false;
};

/// Calls a Python object that has `schedule(view, act)`.
class PythonPolicy final : public sim::OutsidePolicy {
public:
    /// The caller holds the GIL.
    PythonPolicy(pybind11::object scheduler,
                 const sim::OutsideActions& see,
                 std::uint32_t replication,
                 std::uint64_t seed,
                 PythonCalls& calls);
    ~PythonPolicy() override;

    void decide(sim::OutsideActions& act) override;
    void submitted(sim::JobId id) override { tell("submitted", submitted_, id); }
    void started(sim::JobId id) override { tell("started", started_, id); }
    void evicted(sim::JobId id) override { tell("evicted", evicted_, id); }
    void ended(sim::JobId id) override;
    void server_changed(core::ServerId server, bool up) override;

private:
    template <class Work>
    void call(const char* method, PythonCalls::About about, const Work& work);
    void tell(const char* name, const pybind11::object& method, sim::JobId id);

    pybind11::object scheduler_;
    const sim::OutsideActions& see_;
    PythonCalls& calls_;
    std::shared_ptr<SeenRun> run_;
    std::shared_ptr<View> view_;
    std::shared_ptr<Act> act_;
    pybind11::object view_object_;
    pybind11::object act_object_;
    std::exception_ptr failed_;  ///< The exception of the first call that failed.
    pybind11::object schedule_;
    /// Each of these methods is null where the scheduler does not have it.
    pybind11::object submitted_;
    pybind11::object started_;
    pybind11::object evicted_;
    pybind11::object ended_;
    pybind11::object server_changed_;
};

}  // namespace berth::python

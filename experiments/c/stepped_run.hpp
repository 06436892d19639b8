#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <semaphore>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "core/support/value.hpp"
#include "experiments/c/berth.h"
#include "experiments/c/finished_run.hpp"
#include "experiments/program/config/experiment_spec.hpp"
#include "experiments/program/support/own_process.hpp"
#include "sim/run/run_control.hpp"
#include "sim/schedulers/outside/outside_policy.hpp"

namespace berth::c {

/// A job as C sees it. The arrays behind its pointers live as long as this object.
class SeenJob {
public:
    explicit SeenJob(const sim::JobState& state);

    /// Called when the job starts, or loses or changes its places.
    void places_changed() { places_known_ = false; }
    [[nodiscard]] berth_job look(const sim::JobState& state, const core::Topology& tree);

private:
    std::string name_;
    std::string user_;
    std::string quota_;
    std::string type_;
    std::vector<core::Amount> demand_;
    std::vector<berth_place> places_;
    bool places_known_ = false;
};

/// Keeps the arrays that a caller looks at in its turns.
class CallerPolicy : public sim::OutsidePolicy {
public:
    explicit CallerPolicy(const sim::OutsideActions& see) : see_(see) {}

    void submitted(sim::JobId id) override;
    void started(sim::JobId id) override { seen(id).places_changed(); }
    void evicted(sim::JobId id) override { seen(id).places_changed(); }
    void ended(sim::JobId id) override;
    [[nodiscard]] std::optional<std::vector<core::PlacedNode>> resized(
        const sim::OutsideActions& see, sim::JobId id, core::Members size) override;

    void resized(sim::JobId id) { seen(id).places_changed(); }
    /// The arrays stay valid until the next call.
    [[nodiscard]] berth_view look();
    /// Errors: sim::SchedulerError for a number that belongs to no waiting or running job.
    [[nodiscard]] sim::JobId job(std::int64_t number, const char* verb) const;

private:
    struct Known {
        sim::JobId id;
        SeenJob seen;
    };
    [[nodiscard]] std::int64_t number_of(sim::JobId id) const {
        return static_cast<std::int64_t>(see_.job(id).record.arrival);
    }
    [[nodiscard]] SeenJob& seen(sim::JobId id) { return jobs_.at(number_of(id)).seen; }
    void list(const sim::JobOrder& order, std::vector<berth_job>& out);

    const sim::OutsideActions& see_;
    /// The jobs by number. They are looked up and never iterated.
    std::unordered_map<std::int64_t, Known> jobs_;
    /// Jobs that have ended, kept while an array that the caller has may still refer to them.
    std::vector<std::unordered_map<std::int64_t, Known>::node_type> ended_;
    std::vector<berth_job> waiting_;
    std::vector<berth_job> running_;
};

/// The verbs of one turn, for jobs by their numbers in C.
/// Errors: sim::SchedulerError, and nothing has happened.
class CallerTurn {
public:
    CallerTurn(CallerPolicy& policy, sim::OutsideActions& act) : policy_(policy), act_(act) {}

    [[nodiscard]] berth_view look() { return policy_.look(); }
    void start(std::int64_t job, const berth_place* places, std::size_t count);
    void evict(std::int64_t job);
    /// Returns whether the job answers.
    [[nodiscard]] bool resize(std::int64_t job,
                              std::int64_t size,
                              const berth_place* places,
                              std::size_t count);
    void reject(std::int64_t job, std::string reason);
    void wake(std::int64_t at);

private:
    [[nodiscard]] std::vector<core::PlacedNode> placed(sim::JobId id,
                                                       const berth_place* places,
                                                       std::size_t count) const;
    /// Brings the free amounts that the caller sees up to date after a verb.
    void acted() { static_cast<void>(act_.free()); }

    CallerPolicy& policy_;
    sim::OutsideActions& act_;
};

/// A run in a thread of its own, which stands still while the caller has its turn: only one of the
/// two threads runs at a time.
///
/// Cost: two thread switches per turn.
class SteppedRun {
public:
    /// The spec and the document outlive the run. The experiment names the caller as its scheduler.
    SteppedRun(const experiments::ExperimentSpec& spec,
               const core::Value& document,
               std::optional<std::filesystem::path> folder);
    /// A run that is not over leaves no files.
    ~SteppedRun();
    SteppedRun(const SteppedRun&) = delete;
    SteppedRun& operator=(const SteppedRun&) = delete;

    /// Lets the run go on to the next turn. Returns whether there is one.
    /// Errors: what ended the run.
    [[nodiscard]] bool next();
    /// Whether this is the process that made the run. A forked copy of it does not have the run's
    /// thread: there, the run can neither go on nor be destroyed.
    [[nodiscard]] bool is_here() const { return process_.is_here(); }
    /// The caller's turn; nullptr: the run is over or has not begun.
    [[nodiscard]] CallerTurn* turn() const { return turn_; }
    /// The results of a run that is over. May be called once.
    [[nodiscard]] FinishedRun take() { return std::move(*finished_); }

private:
    class Policy;
    /// Ends a run that the caller has abandoned.
    struct Abandoned : std::exception {};
    void run();
    void hand_over(CallerTurn& turn);

    experiments::OwnProcess process_;
    experiments::ExperimentSpec spec_;
    const core::Value& document_;
    std::optional<std::filesystem::path> folder_;
    sim::RunControl control_;
    std::binary_semaphore goes_on_{0};  ///< Released when the run may go on.
    std::binary_semaphore stands_{0};   ///< Released when the run stands still or is over.
    CallerTurn* turn_ = nullptr;
    bool abandoned_ = false;
    std::optional<FinishedRun> finished_;
    std::exception_ptr failed_;
    std::thread thread_;
};

}  // namespace berth::c

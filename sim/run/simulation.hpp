#pragma once

#include <memory>
#include <optional>

#include "core/ledger/ledger.hpp"
#include "sim/clock/event_queue.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/failures/failure_source.hpp"
#include "sim/job/job.hpp"
#include "sim/job/records.hpp"
#include "sim/measure/measures.hpp"
#include "sim/measure/run_result.hpp"
#include "sim/profile/settings.hpp"
#include "sim/run/drains.hpp"
#include "sim/run/followers.hpp"
#include "sim/run/invariants.hpp"
#include "sim/run/job_life.hpp"
#include "sim/run/outages.hpp"
#include "sim/run/run_control.hpp"
#include "sim/run/spares.hpp"
#include "sim/scheduler/scheduler.hpp"

namespace berth::sim {

/// The scheduler of the settings, or else the one that their profile composes. All arguments
/// outlive it.
[[nodiscard]] std::unique_ptr<Scheduler> scheduler_of(const Settings& settings,
                                                      RecordSink& sink,
                                                      Actions& actions);

/// One run: jobs arrive from a source, a scheduler starts them on the ledger's cluster, and they
/// leave. It has the time, the events in their order, and the events of the experiment; it decides
/// nothing.
///
/// Order:  events at one instant happen in the order of EventKind, then in the order of scheduling.
/// End:    at Settings::until, or when nothing is to come except samples, failures and cycles of
///         the scheduler (its third timer), and no job is left that they could hold up or let
///         start.
/// Cost:   O(log pending) per event, in addition to the scheduler's decisions and the members that
///         start or end; memory for the jobs alive, 32 bytes per job for the percentiles of up to a
///         million jobs (JobTimes), and 4 bytes for each job that ended before one that arrived
///         earlier.
class Simulation {
public:
    /// `ledger` holds what is in use before the run begins. `make` makes the scheduler; without it,
    /// scheduler_of() does. `failures`, if the settings name causes, says what fails besides the
    /// settings' own changes.
    Simulation(core::Ledger& ledger,
               PodSource& source,
               const Settings& settings,
               RecordSink& sink,
               RunControl& control,
               const MakeScheduler& make = nullptr,
               FailureSource* failures = nullptr);

    /// Shows `observer` each turn of the job with this number in the source, counted from 0. To be
    /// called before run(); the observer outlives that call.
    void watch(std::uint64_t number, JobObserver& observer) { watched_ = {number, &observer}; }

    [[nodiscard]] RunResult run();

private:
    void schedule_changes();
    void schedule_drains();
    void change_drain(std::uint32_t number);
    void schedule_next_arrival();
    void keep_spares();
    void request_sample();
    void fetch_what_comes();
    void fetch_what_next_holds() const;
    void handle(const Event& event);
    void submit_next();
    void submit_follower(std::uint32_t subject);
    [[nodiscard]] JobId arrive(Job&& job, std::uint64_t number);
    void tell_watcher(std::uint64_t number);
    void admit(JobId id);
    void sample();
    void change_node(std::uint32_t number);
    void schedule_next_failure();
    [[nodiscard]] bool is_failure(const Event& event) const;
    [[nodiscard]] bool is_over(const Event& event);

    PodSource& source_;
    FailureSource* failures_;  ///< May be nullptr.
    const Settings& settings_;
    RecordSink& sink_;
    RunControl& control_;
    EventQueue events_;
    Cluster cluster_;
    Measures measures_;
    JobLife jobs_;
    Outages outages_;
    Drains drains_;
    std::optional<Spares> spares_;  ///< Set if any are kept.
    std::unique_ptr<Scheduler> scheduler_;
    std::optional<Job> next_job_;
    Followers followers_{events_};
    std::uint64_t submitted_ = 0;  ///< Jobs that the source has submitted.
    struct Watched {
        std::uint64_t number = 0;
        JobObserver* observer = nullptr;
    };
    std::optional<Watched> watched_;
    std::optional<FailureEvent> next_failure_;
    std::optional<Invariants> invariants_;  ///< Set if they are checked.
    std::uint64_t events_handled_ = 0;
    std::uint64_t failures_alone_ = 0;  ///< Failures since anything else was to come.
    std::uint64_t cycles_alone_ = 0;    ///< Cycles since then, or since something came back.
    bool sample_pending_ = false;
    std::optional<std::uint32_t> fetched_;  ///< The job that fetch_what_comes() fetched last.
};

}  // namespace berth::sim

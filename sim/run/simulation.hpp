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

/// One run: jobs arrive from a source, a scheduler starts them on the ledger's cluster, and they
/// leave. It has the time, the events in their order, and what the experiment has happen; it
/// decides nothing.
///
/// Order:  events at one instant happen in the order of EventKind, then as they were scheduled.
/// End:    at Settings::until, or when nothing is to come but samples, failures and cycles of the
///         scheduler (its third timer), and nobody is left whom they could hold up or let start.
/// Cost:   O(log pending) an event besides the scheduler's decisions and the members that start or
///         end; memory for the jobs alive, 32 bytes a job for the percentiles of up to a million
///         (JobTimes), and 4 bytes for each job that ended before one that arrived earlier.
class Simulation {
public:
    /// The ledger holds what is in use before the run begins. `make` makes the scheduler; without
    /// it, it is the one that the settings' profile composes. `failures`, if the settings name
    /// causes, says what fails besides the settings' own changes.
    Simulation(core::Ledger& ledger,
               PodSource& source,
               const Settings& settings,
               RecordSink& sink,
               RunControl& control,
               const MakeScheduler& make = nullptr,
               FailureSource* failures = nullptr);

    /// Has somebody see each turn of the job of this number in the source, counted from 0. Call it
    /// before run(); the observer outlives that.
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
    FailureSource* failures_;  ///< Or nullptr.
    const Settings& settings_;
    RecordSink& sink_;
    RunControl& control_;
    EventQueue events_;
    Cluster cluster_;
    Measures measures_;
    JobLife jobs_;
    Outages outages_;
    Drains drains_;
    std::optional<Spares> spares_;  ///< If any are kept.
    std::unique_ptr<Scheduler> scheduler_;
    std::optional<Job> next_job_;
    Followers followers_{events_};
    std::uint64_t submitted_ = 0;  ///< Jobs of the source.
    struct Watched {
        std::uint64_t number = 0;
        JobObserver* observer = nullptr;
    };
    std::optional<Watched> watched_;
    std::optional<FailureEvent> next_failure_;
    std::optional<Invariants> invariants_;  ///< If they are checked.
    std::uint64_t events_handled_ = 0;
    std::uint64_t failures_alone_ = 0;  ///< Since anything else was to come.
    std::uint64_t cycles_alone_ = 0;    ///< The same, or since something came back.
    bool sample_pending_ = false;
    std::optional<std::uint32_t> fetched_;  ///< The job that fetch_what_comes() fetched last.
};

}  // namespace berth::sim

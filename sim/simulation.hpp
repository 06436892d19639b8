#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/ledger.hpp"
#include "sim/backfill_plan.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/decayed_usage.hpp"
#include "sim/event_queue.hpp"
#include "sim/fingerprint.hpp"
#include "sim/gpu_time_ledger.hpp"
#include "sim/job.hpp"
#include "sim/job_metrics.hpp"
#include "sim/job_observer.hpp"
#include "sim/load_history.hpp"
#include "sim/measure/meter.hpp"
#include "sim/members.hpp"
#include "sim/metrics.hpp"
#include "sim/placer.hpp"
#include "sim/quota_manager.hpp"
#include "sim/quota_metrics.hpp"
#include "sim/records.hpp"
#include "sim/recycler.hpp"
#include "sim/residents.hpp"
#include "sim/run_control.hpp"
#include "sim/run_result.hpp"
#include "sim/run_time_model.hpp"
#include "sim/settings.hpp"
#include "sim/utilization.hpp"
#include "sim/waiting_queue.hpp"

namespace berth::sim {

/// One run: jobs arrive from a source, are scheduled onto the ledger's cluster, and leave.
///
/// Order:  events at one instant happen in the order of EventKind, then as they were scheduled;
///         waiting jobs are tried in the order of the profile's queueSort, then of arrival.
/// Cost:   O(log pending) an event besides the decisions and the members that start or end; memory
///         for the jobs alive, for the records of jobs that ended after one that goes on, and
///         some twenty numbers a job for the percentiles.
class Simulation {
public:
    /// The ledger holds what is in use before the run begins.
    Simulation(core::Ledger& ledger,
               PodSource& source,
               const Settings& settings,
               RecordSink& sink,
               RunControl& control);

    /// Names of what sample() records, for a topology.
    [[nodiscard]] static std::vector<std::string> sampled_metrics(const core::Topology& tree,
                                                                  const Profile& profile);

    /// Has somebody see each turn of the job that arrives as this one, counted from 0. Call it
    /// before run(); the observer outlives that.
    void watch(std::uint64_t arrival, JobObserver& observer);

    [[nodiscard]] RunResult run();

private:
    struct State {
        JobRecord record;
        std::uint64_t arrival = 0;
        core::QuotaId quota;          ///< Or its user's number: see WaitingQueue.
        QueueKey queued;              ///< Its place in the queue: later after an eviction.
        std::int64_t service = 0;     ///< What it attained before evictions, as QueuePolicy says.
        std::optional<SimTime> left;  ///< Of its work, whose whole is its duration.
        bool ended = false;
        std::optional<EventHandle> finish;
        std::optional<EventHandle> resize;
        std::size_t resizes_done = 0;
    };

    struct Watched {
        std::uint64_t arrival = 0;
        JobObserver* observer = nullptr;
        std::optional<std::uint32_t> index;
        std::optional<std::uint64_t> entry;  ///< Into the queue, of which a turn was told.
        bool asked = false;                  ///< In this cycle, it or one that asks for the same.
        bool told = false;                   ///< In this cycle.
    };

    void schedule_next_arrival();
    void request_cycle();
    void request_sample();
    void handle(const Event& event);
    void submit(std::uint32_t index);
    [[nodiscard]] bool starts_where_it_runs(State& state, std::uint32_t index);
    void cycle();
    [[nodiscard]] bool try_to_start(std::uint32_t index);
    [[nodiscard]] const State* watched_state() const;
    void watch_cycle();
    void watch_turn(std::optional<std::uint32_t> next, const Job* held_up_by);
    void tell_turn(const State& state, const Job* held_up_by);
    void backfill();
    void note_expected(const State& state, std::uint32_t index, bool runs);
    void start_planned(std::uint32_t index, core::Members members, Attempt attempt);
    [[nodiscard]] SimTime expected_run(const State& state) const;
    [[nodiscard]] SimTime expected_end(const State& state) const;
    [[nodiscard]] core::QuotaId number_of_user(const std::string& user);
    void note_usage(const State& state, core::Members pods);
    [[nodiscard]] std::int64_t service_of(const JobRecord& record) const;
    void enqueue(State& state, std::uint32_t index);
    [[nodiscard]] bool refuse(State& state, std::uint32_t index, bool by_quota, bool for_its_shape);
    [[nodiscard]] bool preempt_for(State& state, std::uint32_t index);
    void start(State& state, std::uint32_t index, Attempt attempt);
    [[nodiscard]] Attempt on_server(core::ServerId server) const;
    void start_stints(JobRecord& record,
                      const core::PlacedNode& server,
                      std::vector<Grant> grants,
                      FreeNumbers& numbers);
    void note_grants(const Job& job, const Stint& stint);
    void slow_down(JobRecord& record, const std::vector<core::PlacedNode>& servers);
    void stop_members(State& state, std::uint32_t index);
    [[nodiscard]] SimTime lost_of(SimTime done) const;
    void evict(std::uint32_t index, EvictionCause cause);
    void finish(std::uint32_t index);
    void schedule_next_resize(std::uint32_t index);
    void resize(std::uint32_t index);
    void resize_running(State& state, std::uint32_t index, core::Members size);
    void members_leave(JobRecord& record, core::ServerId server, core::Members count);
    void members_join(JobRecord& record, const core::PlacedNode& more);
    void end(std::uint32_t index, Outcome outcome);
    [[nodiscard]] std::string why_waiting(State& state);
    void write_records();
    void end_the_rest();
    void sample();
    void count_waiting(const State& state, core::Members pods);
    void quota_changed(const State& state);
    void note_running(const State& state, std::uint32_t index, bool runs);
    void wake_who_may_preempt_on(core::ServerId server);
    void schedule_changes();
    void change_node(const NodeChange& change);
    void take_down(core::ServerId server);
    void bring_up(core::ServerId server);
    void any_quota_changed();
    void change_quotas(const QuotaChange& change);
    void reassign_quotas();
    void schedule_quota_ticks();
    void check_nobody_is_lost() const;
    void settle();
    [[nodiscard]] Load load_now() const;
    void refresh_quotas();
    void recycle();
    std::uint32_t new_state();

    core::Ledger& ledger_;
    PodSource& source_;
    const Settings& settings_;
    RecordSink& sink_;
    RunControl& control_;
    Cluster cluster_;
    Placer placer_;
    Utilization utilization_;
    Metrics metrics_;
    JobMetrics job_metrics_;
    LoadRecorder load_;
    std::optional<GpuTimeLedger> gpu_time_;
    std::unique_ptr<Meter> inside_meter_;  ///< Or nullptr.
    std::optional<QuotaManager> quotas_;
    std::optional<QuotaMetrics> quota_metrics_;
    std::optional<Recycler> recycler_;
    std::optional<Residents> residents_;
    Overtaking overtaking_;
    std::optional<NicUsers> nics_;  ///< Where run times depend on them.
    WaitingQueue waiting_;
    std::optional<BackfillPlan> plan_;
    std::optional<DecayedUsage> usage_;
    std::optional<Watched> watched_;
    std::map<std::string, std::uint32_t> users_;  ///< Their numbers, where they are told apart.
    std::size_t service_resource_ = 0;
    EventQueue events_;
    Fingerprint fingerprint_;
    SimTime now_{};

    std::deque<State> states_;
    std::vector<std::uint32_t> free_states_;
    /// The jobs whose records are not written yet, in the order of their arrival: those that have
    /// not ended, and those that ended before one that arrived earlier.
    std::deque<std::uint32_t> unwritten_;
    std::optional<Job> next_job_;
    std::uint64_t arrivals_ = 0;
    std::uint64_t running_jobs_ = 0;
    std::uint64_t ended_jobs_ = 0;
    std::uint64_t releases_ = 0;
    std::uint64_t queue_entries_ = 0;
    std::uint64_t events_handled_ = 0;
    bool cycle_pending_ = false;
    bool sample_pending_ = false;
    bool refresh_pending_ = false;
    bool recycle_pending_ = false;
    SimTime next_refresh_{};  ///< Not before this.
    SimTime next_recycle_{};
    std::uint64_t refreshed_at_ = ~std::uint64_t{0};  ///< The changes of the quotas then.
    std::size_t running_pods_ = 0;
    std::size_t waiting_pods_ = 0;
    std::vector<double> waiting_demand_;  ///< By resource, of all waiting pods.
};

}  // namespace berth::sim

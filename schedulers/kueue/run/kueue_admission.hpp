#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schedulers/kueue/decide/local_queue_ledger.hpp"
#include "schedulers/kueue/decide/queue_manager.hpp"
#include "schedulers/kueue/run/flavor_nodes.hpp"
#include "schedulers/kueue/run/kueue_meter.hpp"
#include "schedulers/kueue/run/kueue_places.hpp"
#include "schedulers/kueue/run/kueue_settings.hpp"
#include "schedulers/kueue/run/kueue_workload.hpp"
#include "sim/job/by_job.hpp"
#include "sim/job/quota_hold.hpp"
#include "sim/job/records.hpp"
#include "sim/profile/admission.hpp"

namespace berth::sim {

/// Admission as Kueue does it: a job waits in its ClusterQueue until a scheduling cycle reserves
/// quota for it, and only then joins the jobs for which places are sought. Jobs that name no queue
/// are not managed by Kueue, and are let in at once.
///
/// Cycles take no time: at each instant at which something happened they follow each other until
/// one admits and preempts no workload and leaves all heads as it found them. Admissions may take
/// time to be written to the API server, one after another, while cycles go on. If workloads
/// preempt each other in turn, cycles rest for a while once a workload was preempted ten times at
/// one instant, and a workload that was preempted a thousand times is given up, so that every run
/// ends.
///
/// Source: Kueue, pkg/scheduler/scheduler.go, pkg/controller/core/workload_controller.go.
class KueueAdmission final : public Admission {
public:
    /// All arguments outlive it.
    KueueAdmission(const KueueSettings& settings,
                   Window window,
                   RecordSink& sink,
                   Actions& actions,
                   PlaceQueue& places);

    [[nodiscard]] const std::string& name_of(JobId id, const Job& job) override;
    [[nodiscard]] std::optional<std::string> rejects(JobId id) override;
    void waits(JobId id) override;
    [[nodiscard]] bool lets_in(JobId id) override;
    void leaves_queue(JobId id) override;
    void runs(JobId id) override;
    void evicted(JobId id, const Stay& stay, EvictionCause cause) override;
    void ended(JobId id) override;
    void server_changed(bool up, const std::vector<core::Amount>& outside) override;
    [[nodiscard]] core::Members admissible(JobId id, const Job& job) override;
    [[nodiscard]] AddedToPods adds_to(JobId id) override;
    [[nodiscard]] std::string explain(JobId id) override;
    [[nodiscard]] KeptOut kept_out(JobId id) override;
    [[nodiscard]] bool has_decided() override { return !cycle_armed_ || is_resting(); }
    [[nodiscard]] std::shared_ptr<Inquiry> inquire(JobId id) override;
    /// Kueue takes back the quota of pods that are done, and gives none to additional pods.
    [[nodiscard]] bool may_grow(JobId /*id*/, core::Members more) override { return more <= 0; }
    void resized(JobId id, core::Members more) override;
    void asks_for_more(JobId id, core::Members more) override;
    [[nodiscard]] bool change_quotas(std::uint32_t number) override;
    [[nodiscard]] bool woken(Timer timer) override;
    void event_handled() override;
    [[nodiscard]] std::optional<core::Violation> find_violation() override;
    [[nodiscard]] Meter* meter() override { return &meter_; }

private:
    /// Something to be done later.
    struct Task {
        enum class Kind : std::uint8_t { retry, sample, offer_again, written, time_out };
        SimTime at{};
        Kind kind = Kind::retry;
        /// The number of the ClusterQueue or the job that it is about; 0 for a sample.
        std::uint32_t of = 0;

        [[nodiscard]] bool is_of_job() const {
            return kind == Kind::offer_again || kind == Kind::written || kind == Kind::time_out;
        }
        friend auto operator<=>(const Task&, const Task&) = default;
    };
    /// What is recorded about a job's quota once the job no longer waits for it or no longer holds
    /// it.
    struct Holding {
        std::optional<SimTime> queued;    ///< When the job began to wait for quota.
        std::optional<SimTime> admitted;  ///< When it got quota.
        SimTime from{};                   ///< When it began to hold exactly this amount.
        std::optional<SimTime> told;      ///< When it was told to give its quota back.
        QuotaEnd why = QuotaEnd::none;    ///< Why it was told to.
        std::string preemptor;            ///< The job that preempted it, if any.
        std::string preemptor_queue;      ///< The preemptor's ClusterQueue.
        std::string_view reason;          ///< Why it was preempted, in Kueue's word.
    };
    /// What Kueue knows of a job.
    struct Known {
        /// The job's ClusterQueue; nothing for a job that Kueue does not manage.
        std::optional<core::kueue::QuotaNode> queue;
        /// The job's LocalQueue in `local_queues_`; nullptr where jobs name ClusterQueues.
        const KueueLocalQueue* local = nullptr;
        /// `NAMESPACE/NAME` of its LocalQueue, owned by `local_names_`.
        std::string_view local_name;
        /// The job's LocalQueue in the ledger; nothing if usage does not count in its ClusterQueue.
        std::optional<core::kueue::LocalQueueId> shares;
        bool held_back = false;  ///< It waits for its LocalQueue, which is stopped.
        /// The workload in the cache that holds its quota, while it has some.
        std::optional<core::kueue::WorkloadId> held;
        core::Members members = 0;  ///< How many of its pods were admitted.
        Holding holding;
        core::Members first_size = 0;   ///< How many pods it asked for when it arrived.
        core::Members first_least = 0;  ///< How many of these pods it needed at least.
        bool being_written = false;     ///< Its admission is being written, and its pods do not
                                        ///< exist yet.
        bool leaving = false;           ///< It was told to leave, and runs on until its grace
                                        ///< period is over.
        std::uint32_t preemptions = 0;
        std::uint32_t timeouts = 0;  ///< How often its pods were not ready in time.
        /// How long it is not offered again once it waits for quota, because of that.
        std::optional<SimTime> pause;
        /// The value of `happened_` when the job began to wait for places.
        std::uint64_t awaited_since = 0;
        std::optional<Task> task;  ///< What is to be done about the job, if anything.
        std::optional<core::kueue::Condition> evicted;
        std::optional<core::kueue::Condition> preempted;
        std::string message;
        /// What it lacked when a cycle last looked at it.
        core::kueue::Lack lack = core::kueue::Lack::none;
        std::uint64_t looks = 0;  ///< How many cycles have looked at it.
    };
    /// What a cycle says about a workload that it preempts.
    struct Preemption {
        core::kueue::Target target;
        JobId by;
    };
    /// Heads that are offered again, with the flavors that they have already tried.
    using HeadsLeft = std::vector<std::pair<std::uint32_t, core::kueue::TriedFlavors>>;
    struct CycleOutcome {
        bool admitted = false;
        bool preempted = false;
        bool parked = false;
        HeadsLeft left;
    };

    [[nodiscard]] Known& known(JobId id);
    [[nodiscard]] static KueueMeter::Lines lines_of(const Known& job) {
        return {*job.queue, job.shares};
    }
    void offer(JobId id);
    [[nodiscard]] core::kueue::Workload workload_of(JobId id);
    [[nodiscard]] std::string what_keeps_out(JobId id);
    [[nodiscard]] std::string flavors_of(JobId id);
    [[nodiscard]] std::optional<SimTime> offered_again(JobId id);
    [[nodiscard]] bool is_resting() const { return rests_until_ > actions_.now(); }
    void await_places(JobId id);
    [[nodiscard]] bool run_cycles();
    [[nodiscard]] CycleOutcome run_cycle();
    void admit(JobId id, const core::kueue::Entry& entry);
    [[nodiscard]] std::set<core::kueue::FlavorId> flavors_held(JobId id);
    void select_nodes(JobId id);
    /// A job's admission is written: its pods exist, and wait for places.
    void create_pods(JobId id);
    [[nodiscard]] bool run_cycle_of_refusals();
    void send_back(JobId id, const core::kueue::Entry& entry, CycleOutcome& outcome);
    void note_refusal(JobId id, core::kueue::Lack lack, const std::string& message);
    [[nodiscard]] bool preempt(const Preemption& preemption);
    /// A job that holds quota is told to give it back, and then waits for it again.
    void send_away(JobId id, EvictionCause cause);
    void release(JobId id, QuotaEnd why);
    /// A job waits for quota from now on.
    void wait_for_quota(JobId id);
    /// A job that already ran when the run began holds the quota that it was given before.
    void hold_from_the_start(JobId id);
    [[nodiscard]] core::kueue::Assignment flavors_by_place(JobId id,
                                                           const core::kueue::Workload& asked);
    /// Records that a job no longer holds its quota, or no longer waits for it, or that the run
    /// ended first.
    void record_hold(JobId id, QuotaEnd why);
    void lose_places(JobId id);
    void note_freed(JobId id, const Stints& stints);
    /// What a workload holds counts as usage of its LocalQueue from now on, or no longer.
    void count_usage(JobId id, const core::kueue::Workload& asked);
    void end_usage(JobId id, const core::kueue::Workload& gone);
    /// A job needs no more than `size` of its pods from now on.
    void reclaim_pods(JobId id, core::Members size);
    /// Asks for the next sample of the usage of LocalQueues if it may change which workload is
    /// offered next. As long as no workload holds quota, their order stays.
    void await_sample();
    /// Something happened that might let parked workloads in the queue's tree be admitted.
    void retry_later(core::kueue::QuotaNode queue);
    void change_trees(const KueueChange& change);
    /// Waiting jobs leave their ClusterQueues if their LocalQueue is stopped.
    void hold_back_stopped();
    /// Jobs that stopped LocalQueues held back are offered if their LocalQueue is no longer
    /// stopped.
    void offer_held_back();
    /// Sends away jobs that were admitted to queues that are drained.
    void drain();
    /// Why a job's queue admits no workloads; empty if it does.
    [[nodiscard]] std::string why_stopped(const Known& job) const;
    /// Starts jobs that have places as soon as there is room: earlier jobs may still be leaving.
    void start_placed();
    [[nodiscard]] bool may_be_placed_here(JobId id);
    /// Whether the job's places came with its quota.
    [[nodiscard]] bool is_placed_here(JobId id);
    [[nodiscard]] bool is_in_vain(JobId id);
    void time_out(JobId id);
    void stop_pods(JobId id);
    void stop_seeking_places(JobId id);
    /// Returns whether jobs that wait for places may start now.
    [[nodiscard]] bool do_task(const Task& task);
    void remember(const Task& task);
    void forget_task_of(JobId id);
    void arm();
    void give_up_hopeless();
    [[nodiscard]] std::optional<core::Violation> find_wrong_usage() const;

    const KueueSettings& settings_;
    KueueLocalQueues local_queues_;  ///< Includes the changes of objects that were made so far.
    std::map<const KueueLocalQueue*, std::string> local_names_;  ///< `NAMESPACE/NAME`.
    RecordSink& sink_;
    Actions& actions_;
    PlaceQueue& places_;
    /// The settings' objects, with the resources of the schema added to their names. The cache
    /// takes them over; they are not read here afterwards.
    core::kueue::CacheSpec objects_;
    KueueWorkloads workloads_;
    core::kueue::Cache cache_;
    FlavorNodes nodes_;
    /// What LocalQueues used; nothing if admission fair sharing is off.
    std::optional<core::kueue::LocalQueueLedger> ledger_;
    std::map<const KueueLocalQueue*, core::kueue::LocalQueueId> ledger_ids_;
    std::optional<SimTime> sample_at_;       ///< When the task that takes a sample is due.
    std::optional<KueuePlaces> topologies_;  ///< Nothing: no flavor has a topology.
    core::kueue::QueueManager queues_;
    core::kueue::NominationMemory memory_;
    KueueMeter meter_;
    ByJob<Known> known_;
    std::map<core::kueue::WorkloadId, JobId> holders_;  ///< Jobs that hold quota.
    std::set<Task> tasks_;
    std::optional<SimTime> rings_at_;  ///< When the timer rings for the first of `tasks_`.
    /// The roots of trees with a retry to come, and the queue under which the retry is remembered.
    std::map<core::kueue::QuotaNode, core::kueue::QuotaNode> retrying_;
    std::int64_t cycles_ = 0;
    std::uint64_t happened_ = 0;    ///< Counts starts, ends, evictions and changes of servers.
    std::size_t changes_done_ = 0;  ///< How many of the settings' changes were made.
    bool cycle_wanted_ = false;     ///< Something happened that may change what a cycle decides.
    bool cycle_armed_ = false;
    SimTime cycles_at_{};                            ///< The instant of the last cycle.
    std::map<JobId, std::uint32_t> preempted_then_;  ///< How often each job was preempted then.
    SimTime rests_until_{};
    SimTime writes_until_{};       ///< When all admissions will have been written.
    std::vector<JobId> starting_;  ///< Jobs that have quota and places, and do not run yet.
    std::vector<JobId> hopeless_;  ///< Jobs to be given up once this event is over.
};

}  // namespace berth::sim

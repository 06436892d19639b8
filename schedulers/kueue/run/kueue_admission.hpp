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
/// quota for it, and only then among those for whom places are sought. Jobs that name no queue are
/// not Kueue's, and are let in at once.
///
/// Cycles take no time: at each instant at which something happened they follow each other until
/// one admits and preempts nobody and leaves all heads as it found them. What they admit may take
/// time to be written to the API server, one after another, while cycles go on. Where workloads
/// preempt each other in turn they rest for a while once one was preempted ten times, and one that
/// was preempted a thousand times is given up, so that every run ends.
///
/// Source: Kueue, pkg/scheduler/scheduler.go, pkg/controller/core/workload_controller.go.
class KueueAdmission final : public Admission {
public:
    /// All outlive it.
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
    [[nodiscard]] std::string explain(JobId id) override;
    [[nodiscard]] KeptOut kept_out(JobId id) override;
    [[nodiscard]] bool has_decided() override { return !cycle_armed_ || is_resting(); }
    [[nodiscard]] std::shared_ptr<Inquiry> inquire(JobId id) override;
    /// Kueue takes back quota of pods that are done, and gives none to more pods.
    [[nodiscard]] bool may_grow(JobId /*id*/, core::Members more) override { return more <= 0; }
    void resized(JobId id, core::Members more) override;
    void asks_for_more(JobId id, core::Members more) override;
    [[nodiscard]] bool change_quotas(std::uint32_t number) override;
    [[nodiscard]] bool woken(Timer timer) override;
    void event_handled() override;
    [[nodiscard]] std::optional<core::Violation> find_violation() override;
    [[nodiscard]] Meter* meter() override { return &meter_; }

private:
    /// What is to be done later.
    struct Task {
        enum class Kind : std::uint8_t { retry, sample, offer_again, written, time_out };
        SimTime at{};
        Kind kind = Kind::retry;
        /// The number of the ClusterQueue or of the job that it is about; 0 for a sample.
        std::uint32_t of = 0;

        [[nodiscard]] bool is_of_job() const {
            return kind == Kind::offer_again || kind == Kind::written || kind == Kind::time_out;
        }
        friend auto operator<=>(const Task&, const Task&) = default;
    };
    /// What is recorded of a job's quota once the job waits for it or holds it no longer.
    struct Holding {
        std::optional<SimTime> queued;    ///< Since when it waits, or waited, for quota;
        std::optional<SimTime> admitted;  ///< when it got some,
        SimTime from{};                   ///< and since when it holds just so much.
        std::optional<SimTime> told;      ///< When it was told to give it back,
        QuotaEnd why = QuotaEnd::none;    ///< why, and if somebody preempted it,
        std::string preemptor;            ///< who did,
        std::string preemptor_queue;      ///< in which ClusterQueue,
        std::string_view reason;          ///< and why, in Kueue's word.
    };
    /// What Kueue knows of a job.
    struct Known {
        /// Its ClusterQueue; nothing for a job that is not Kueue's.
        std::optional<core::kueue::QuotaNode> queue;
        /// Its LocalQueue in `local_queues_`; nullptr where jobs name ClusterQueues.
        const KueueLocalQueue* local = nullptr;
        /// Its LocalQueue's `NAMESPACE/NAME`, of `local_names_`.
        std::string_view local_name;
        /// Its LocalQueue in the ledger; nothing where no usage counts in its ClusterQueue.
        std::optional<core::kueue::LocalQueueId> shares;
        bool held_back = false;  ///< It waits for its LocalQueue, which is stopped.
        /// The workload in the cache that holds its quota, while it has some.
        std::optional<core::kueue::WorkloadId> held;
        core::Members members = 0;  ///< How many of its pods were admitted.
        Holding holding;
        core::Members first_size = 0;   ///< How many pods it asked for when it came,
        core::Members first_least = 0;  ///< and how many of them it needed at least.
        bool being_written = false;     ///< Its admission is, and its pods are not there yet.
        bool leaving = false;           ///< It was told to go, and runs on until its grace is over.
        std::uint32_t preemptions = 0;
        std::uint32_t timeouts = 0;  ///< How often its pods were not ready in time.
        /// The value of `happened_` when it began to wait for places.
        std::uint64_t awaited_since = 0;
        std::optional<Task> task;  ///< What is to be done about it, if anything.
        std::optional<core::kueue::Condition> evicted;
        std::optional<core::kueue::Condition> preempted;
        std::string message;
        /// What it lacked when a cycle looked at it last.
        core::kueue::Lack lack = core::kueue::Lack::none;
        std::uint64_t looks = 0;  ///< How many cycles looked at it.
    };
    /// What a cycle says of a workload that it preempts.
    struct Preemption {
        core::kueue::Target target;
        JobId by;
    };
    /// Heads that are offered again, with what they go on with.
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
    void select_nodes(JobId id);
    /// Its admission is written: its pods are there, and wait for places.
    void create_pods(JobId id);
    [[nodiscard]] bool run_cycle_of_refusals();
    void send_back(JobId id, const core::kueue::Entry& entry, CycleOutcome& outcome);
    void note_refusal(JobId id, core::kueue::Lack lack, const std::string& message);
    [[nodiscard]] bool preempt(const Preemption& preemption);
    /// Who holds quota is told to give it back, and waits for it again.
    void send_away(JobId id, EvictionCause cause);
    void release(JobId id, QuotaEnd why);
    /// It waits for quota from now on.
    void wait_for_quota(JobId id);
    /// A job that ran already when the run began holds what it was given before.
    void hold_from_the_start(JobId id);
    [[nodiscard]] core::kueue::Assignment flavors_by_place(JobId id,
                                                           const core::kueue::Workload& asked);
    /// Records that a job holds its quota, or waits for it, no longer, or to the end of the run.
    void record_hold(JobId id, QuotaEnd why);
    void lose_places(JobId id);
    void note_freed(JobId id, const Stints& stints);
    /// What a workload holds counts as usage of its LocalQueue from now on, or no longer.
    void count_usage(JobId id, const core::kueue::Workload& asked);
    void end_usage(JobId id, const core::kueue::Workload& gone);
    /// It needs no more than so many of its pods any longer.
    void reclaim_pods(JobId id, core::Members size);
    /// Where the usage of LocalQueues decides who is offered next, somebody else may be after the
    /// next sample of it. Without anybody who holds quota, their order stays.
    void await_sample();
    /// Something happened by which those who are parked in the queue's tree might be admitted.
    void retry_later(core::kueue::QuotaNode queue);
    void change_trees(const KueueChange& change);
    /// Those who wait in ClusterQueues leave them, if their LocalQueue is stopped.
    void hold_back_stopped();
    /// Those whom stopped LocalQueues held back are offered, if theirs is stopped no longer.
    void offer_held_back();
    /// Sends away who was admitted to queues that are drained.
    void drain();
    /// Why a job's queue admits nobody; empty: it does.
    [[nodiscard]] std::string why_stopped(const Known& job) const;
    /// Starts those who have places as soon as there is room: who was there may be on its way out.
    void start_placed();
    [[nodiscard]] bool may_be_placed_here(JobId id);
    /// Whether its places came with its quota.
    [[nodiscard]] bool is_placed_here(JobId id);
    [[nodiscard]] bool is_in_vain(const Known& job);
    void time_out(JobId id);
    void stop_seeking_places(JobId id);
    /// Returns whether those who wait for places may start now.
    [[nodiscard]] bool do_task(const Task& task);
    void remember(const Task& task);
    void forget_task_of(JobId id);
    void arm();
    void give_up_hopeless();
    [[nodiscard]] std::optional<core::Violation> find_wrong_usage() const;

    const KueueSettings& settings_;
    KueueLocalQueues local_queues_;  ///< With the changes of objects that were made so far.
    std::map<const KueueLocalQueue*, std::string> local_names_;  ///< `NAMESPACE/NAME`.
    RecordSink& sink_;
    Actions& actions_;
    PlaceQueue& places_;
    /// The settings' objects, with the resources of the schema added to their names; the cache
    /// takes them, and nobody reads this afterwards.
    core::kueue::CacheSpec objects_;
    KueueWorkloads workloads_;
    core::kueue::Cache cache_;
    FlavorNodes nodes_;
    /// What LocalQueues used; nothing where admission fair sharing is off.
    std::optional<core::kueue::LocalQueueLedger> ledger_;
    std::map<const KueueLocalQueue*, core::kueue::LocalQueueId> ledger_ids_;
    std::optional<SimTime> sample_at_;       ///< When the task that takes a sample is due.
    std::optional<KueuePlaces> topologies_;  ///< Nothing: no flavor has a topology.
    core::kueue::QueueManager queues_;
    core::kueue::NominationMemory memory_;
    KueueMeter meter_;
    ByJob<Known> known_;
    std::map<core::kueue::WorkloadId, JobId> holders_;  ///< Of quota.
    std::set<Task> tasks_;
    std::optional<SimTime> rings_at_;  ///< When the timer rings for the first of `tasks_`.
    /// The roots of trees with a retry to come, and the queue which it is remembered by.
    std::map<core::kueue::QuotaNode, core::kueue::QuotaNode> retrying_;
    std::int64_t cycles_ = 0;
    std::uint64_t happened_ = 0;    ///< Counts starts, ends, evictions and changes of servers.
    std::size_t changes_done_ = 0;  ///< How many of the settings' changes were made.
    bool cycle_wanted_ = false;  ///< Something happened after which a cycle may decide otherwise.
    bool cycle_armed_ = false;
    SimTime cycles_at_{};                            ///< The instant of the last cycle,
    std::map<JobId, std::uint32_t> preempted_then_;  ///< and how often who was preempted at it.
    SimTime rests_until_{};
    SimTime writes_until_{};       ///< When all admissions are written.
    std::vector<JobId> starting_;  ///< They have quota and places, and do not run yet.
    std::vector<JobId> hopeless_;  ///< Who is to be given up once this event is over.
};

}  // namespace berth::sim

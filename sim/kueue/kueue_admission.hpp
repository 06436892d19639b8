#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/kueue/queue_manager.hpp"
#include "sim/kueue/flavor_nodes.hpp"
#include "sim/kueue/kueue_meter.hpp"
#include "sim/kueue/kueue_places.hpp"
#include "sim/kueue/kueue_settings.hpp"
#include "sim/kueue/kueue_workload.hpp"
#include "sim/profile/admission.hpp"

namespace berth::sim {

/// Admission as Kueue does it: a job waits in its ClusterQueue until a scheduling cycle reserves
/// quota for it, and only then among those for whom places are sought. Jobs that name no queue are
/// not Kueue's, and are let in at once.
///
/// Cycles take no time: at each instant at which something happened they follow each other until
/// one admits and preempts nobody and leaves all heads as it found them. Where workloads preempt
/// each other in turn they rest for a while once one was preempted ten times, and one that was
/// preempted a thousand times is given up, so that every run ends.
///
/// Source: Kueue, pkg/scheduler/scheduler.go, pkg/controller/core/workload_controller.go.
class KueueAdmission final : public Admission {
public:
    /// All outlive it.
    KueueAdmission(const KueueSettings& settings,
                   Window window,
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
    [[nodiscard]] core::Members admissible(JobId id, const Job& job) override;
    [[nodiscard]] std::string explain(JobId id) override;
    [[nodiscard]] KeptOut kept_out(JobId id) override;
    [[nodiscard]] bool has_decided() override { return !cycle_armed_ || is_resting(); }
    [[nodiscard]] std::shared_ptr<KueueInquiry> inquire(JobId id) override;
    [[nodiscard]] bool woken(Timer timer) override;
    void event_handled() override;
    [[nodiscard]] std::optional<core::Violation> find_violation() override;
    [[nodiscard]] Meter* meter() override { return &meter_; }

private:
    /// What is to be done later.
    struct Task {
        enum class Kind : std::uint8_t { retry, offer_again, time_out };
        SimTime at{};
        Kind kind = Kind::retry;
        std::uint32_t of = 0;  ///< The root of a tree, or a job.
        friend auto operator<=>(const Task&, const Task&) = default;
    };
    /// What Kueue knows of a job.
    struct Known {
        std::optional<core::kueue::QuotaNode> queue;  ///< Nothing: it is not Kueue's.
        std::optional<core::kueue::WorkloadId> held;  ///< Its quota.
        core::Members members = 0;                    ///< So many were admitted.
        bool leaving = false;  ///< It was preempted, and runs on until its end.
        std::uint32_t preemptions = 0;
        std::uint32_t timeouts = 0;  ///< How often its pods were not ready.
        std::optional<Task> task;    ///< What is to be done about it, if anything.
        std::optional<core::kueue::Condition> evicted;
        std::optional<core::kueue::Condition> preempted;
        std::string message;
        core::kueue::Lack lack = core::kueue::Lack::none;  ///< When a cycle looked at it last.
        std::uint64_t looks = 0;                           ///< How often one did.
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
    void send_back(JobId id, const core::kueue::Entry& entry, CycleOutcome& outcome);
    [[nodiscard]] bool preempt(const core::kueue::Target& target);
    void release(JobId id);
    /// Starts those who have places as soon as there is room: who was there may be on its way out.
    void start_placed();
    [[nodiscard]] bool may_be_placed_here(JobId id);
    /// Whether its places came with its quota.
    [[nodiscard]] bool is_placed_here(JobId id);
    void time_out(JobId id);
    void stop_seeking_places(JobId id);
    void do_task(const Task& task);
    void remember(const Task& task);
    void forget_task_of(JobId id);
    void arm();
    void give_up_hopeless();
    [[nodiscard]] std::optional<core::Violation> find_wrong_usage() const;

    const KueueSettings& settings_;
    Actions& actions_;
    PlaceQueue& places_;
    core::kueue::CacheSpec objects_;  ///< Until the cache has them, with the schema's resources.
    KueueWorkloads workloads_;
    core::kueue::Cache cache_;
    FlavorNodes nodes_;
    std::optional<KueuePlaces> topologies_;  ///< Nothing: no flavor has a topology.
    core::kueue::QueueManager queues_;
    KueueMeter meter_;
    std::vector<Known> known_;                          ///< By JobId.
    std::map<core::kueue::WorkloadId, JobId> holders_;  ///< Of quota.
    std::set<Task> tasks_;
    std::optional<SimTime> rings_at_;            ///< For the first task.
    std::set<core::kueue::QuotaNode> retrying_;  ///< Roots with a retry to come.
    std::int64_t cycles_ = 0;
    bool cycle_wanted_ = false;  ///< Something happened after which a cycle may decide otherwise.
    bool cycle_armed_ = false;
    SimTime cycles_at_{};                            ///< The instant of the last cycle,
    std::map<JobId, std::uint32_t> preempted_then_;  ///< and how often who was preempted at it.
    SimTime rests_until_{};
    std::vector<JobId> starting_;  ///< They have quota and places, and do not run yet.
    std::vector<JobId> hopeless_;  ///< Who is to be given up once this event is over.
};

}  // namespace berth::sim

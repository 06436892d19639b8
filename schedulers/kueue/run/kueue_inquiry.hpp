#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "schedulers/kueue/decide/local_queue_ledger.hpp"
#include "schedulers/kueue/decide/queue_manager.hpp"
#include "schedulers/kueue/decide/quota_check.hpp"
#include "schedulers/kueue/run/flavor_nodes.hpp"
#include "schedulers/kueue/run/kueue_places.hpp"
#include "schedulers/kueue/run/kueue_settings.hpp"
#include "schedulers/kueue/run/kueue_workload.hpp"
#include "sim/profile/answer.hpp"

namespace berth::sim {

/// Kueue's state at one moment, as one waiting workload meets it.
struct KueueMoment {
    /// A workload that holds quota.
    struct Holder {
        JobId job;
        core::kueue::Workload workload;
        bool starting = false;  ///< It has places by topology, and does not run there yet.
    };
    /// A workload that waits for quota.
    struct Waiter {
        JobId job;
        core::kueue::Workload workload;
        bool parked = false;     ///< Parked until something happens that might let it in.
        bool preemptor = false;  ///< Whether others are, or were, preempted for it.
    };

    SimTime at{};
    std::int64_t cycle = 0;  ///< The number of the next cycle.
    const KueueSettings& settings;
    const Cluster& cluster;
    core::kueue::CacheSpec objects;
    /// What LocalQueues used; nullptr if admission fair sharing is off.
    const core::kueue::LocalQueueLedger* local_queues = nullptr;
    std::vector<Holder> held;
    Waiter asked;                ///< The workload that is asked about.
    std::vector<Waiter> others;  ///< All other waiting workloads.
    /// How many of the others wait in its ClusterQueue and ask for the same.
    std::size_t equals = 0;
    /// When the workload, or all workloads that are parked with it, are offered again if nothing
    /// happens before; nothing if that is not known.
    std::optional<SimTime> offered_again;
};

/// A change of the moment: what a question assumes to be different. Members that are not set leave
/// things as they are. "Its" refers to the workload that is asked about.
struct KueueWhatIf {
    /// New quotas of ClusterQueues and Cohorts; each replaces all quotas that the node has.
    std::map<core::kueue::QuotaNode, core::kueue::Quotas> quotas{};
    /// New preemption policies of its ClusterQueue.
    std::optional<core::kueue::PreemptionPolicies> policies{};
    bool resumed = false;  ///< Its ClusterQueue is not stopped.
    /// The workload that waits in place of the one that is asked about.
    std::optional<core::kueue::Workload> workload{};
    std::set<std::size_t> ended{};  ///< Holders that have ended, by their number in `held`.
    bool first = false;             ///< No workload of its ClusterQueue is offered before it.
    /// Parked workloads of its tree of cohorts are offered again, as Kueue does when quota is given
    /// back or objects change.
    bool retries = false;
};

/// Tells what Kueue would decide about one waiting workload if something were different. It has a
/// copy of Kueue's state, and reads the cluster; the run does not notice it.
///
/// A question is answered by cycles at that moment, as many as follow each other until the workload
/// is admitted, preempts others, or is parked, or a cycle changes nothing. They include the
/// workloads that wait before it and those of other queues. Flavors are tried from the first on. A
/// workload that is preempted keeps its quota meanwhile. A workload that is admitted is charged for
/// it in its LocalQueue, as in a run, so that others may come before the next workload of that
/// LocalQueue.
///
/// Cost:   making it is O(all workloads + servers); a question costs the workloads that wait before
///         it and in other queues, and the cycles.
class KueueInquiry final : public Inquiry {
public:
    explicit KueueInquiry(KueueMoment moment);

    [[nodiscard]] const KueueMoment& moment() const { return moment_; }
    [[nodiscard]] const core::kueue::Cache& cache() const { return cache_; }
    [[nodiscard]] const core::kueue::Workload& asked() const { return moment_.asked.workload; }
    [[nodiscard]] core::kueue::QuotaNode queue() const { return *asked().queue; }
    /// The workload as it would be if the job were `job`.
    [[nodiscard]] core::kueue::Workload workload_of(const Job& job) const;
    /// What `pods` pods of a workload of its queue ask for together.
    [[nodiscard]] core::kueue::ResourceAmounts requests(const core::kueue::Workload& workload,
                                                        std::int64_t pods) const;
    /// The resource groups of its ClusterQueue that cover any of what it asks for.
    [[nodiscard]] std::vector<const core::kueue::ResourceGroup*> groups() const;
    /// The quotas of a ClusterQueue or Cohort.
    [[nodiscard]] const core::kueue::Quotas& quotas(core::kueue::QuotaNode node) const;
    [[nodiscard]] bool has_topology(core::kueue::FlavorId flavor) const;
    /// The room that domains of a flavor with a topology have for its pods.
    [[nodiscard]] std::vector<core::kueue::LevelOfRoom> rooms(core::kueue::FlavorId flavor) const;
    /// The workloads of its ClusterQueue that are offered before it.
    [[nodiscard]] std::vector<const KueueMoment::Waiter*> before() const;

    [[nodiscard]] Answer ask(const KueueWhatIf& change);

private:
    [[nodiscard]] Answer ask_changed(const KueueWhatIf& change);
    void apply(const KueueWhatIf& change);
    void take_back(const KueueWhatIf& change);
    void forget_charges();
    void set_quotas(core::kueue::QuotaNode node, const core::kueue::Quotas& quotas);
    void hold(std::size_t holder);
    void add_waiting(const KueueWhatIf& change, core::kueue::QueueManager& queues) const;
    /// Whether its ClusterQueue, in which both wait, offers `a` before `b`.
    [[nodiscard]] bool goes_before(const KueueMoment::Waiter& a,
                                   const KueueMoment::Waiter& b) const;
    [[nodiscard]] Answer run_cycles(core::kueue::QueueManager& queues);
    [[nodiscard]] Answer answer(const core::kueue::Entry& entry) const;
    void admit(core::kueue::Workload workload, const core::kueue::Entry& entry);

    KueueMoment moment_;
    KueueWorkloads workloads_;
    core::kueue::Cache cache_;
    /// The moment's usage of LocalQueues, including the charges of the question that is being
    /// answered.
    std::optional<core::kueue::LocalQueueLedger> ledger_;
    FlavorNodes nodes_;
    std::optional<KueuePlaces> places_;
    std::vector<core::kueue::WorkloadId> ids_;  ///< The cache's number of each holder.
    /// Holders that the question took out of the cache, by their number.
    std::map<std::size_t, core::kueue::Workload> ended_;
    /// Workloads that the question's cycles admitted, which are taken out once it is answered.
    std::vector<core::kueue::WorkloadId> admitted_;
};

}  // namespace berth::sim

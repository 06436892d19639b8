#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "schedulers/kube/decide/gang_cycle.hpp"
#include "schedulers/kube/decide/preemption.hpp"
#include "schedulers/kube/run/disruption_budgets.hpp"
#include "schedulers/kube/run/nodes_and_pods.hpp"
#include "schedulers/kube/run/pod_groups.hpp"
#include "schedulers/kube/run/queueing_hints.hpp"
#include "schedulers/kube/run/scheduling_queue.hpp"
#include "sim/job/by_job.hpp"
#include "sim/profile/admission.hpp"
#include "sim/profile/job_observer.hpp"
#include "sim/profile/settings.hpp"
#include "sim/scheduler/scheduler.hpp"

namespace berth::sim {

/// kube-scheduler in a run: each member of a job is a pod, which has its scheduling cycles by
/// itself. A job works once as many of its pods have nodes as it needs; until then, they hold their
/// places, as in Kubernetes. If the run has an admission, a job has pods once that has let it in,
/// as many as it admitted, and with what it added to them.
///
/// Time:  a cycle and its consequences take none: cycles follow each other until no pod can be
///        taken from the queue. Pods that are preempted stop at once.
/// Cost:  that of the cycles. Equal pods that failed since the last change are not tried again in
///        full; a pod that leaves makes every pod that lacks resources active, as in Kubernetes.
class KubeScheduler final : public Scheduler, private PlaceQueue {
public:
    /// All arguments outlive it.
    KubeScheduler(const KubeSettings& own,
                  const Settings& settings,
                  RecordSink& sink,
                  Actions& actions);

    [[nodiscard]] std::optional<std::string> rejects(JobId id) override;
    void submitted(JobId id) override;
    void started(JobId id, bool fresh) override;
    void evicted(JobId id, const Stay& stay, EvictionCause cause) override;
    void resize_asked(JobId id, core::Members size) override;
    void ended(JobId id) override;
    void server_changed(core::ServerId server,
                        bool up,
                        const std::vector<core::Amount>& outside,
                        bool foreseen) override;
    void change_quotas(std::uint32_t change) override;
    void woken(Timer timer) override;
    void event_handled() override;
    [[nodiscard]] std::optional<core::Violation> find_violation() override;
    [[nodiscard]] Refusal why_waiting(JobId id) override;
    [[nodiscard]] bool holds_back(JobId id) override {
        return admission_->admissible(id, job(id)) == 0;
    }
    [[nodiscard]] const std::string& quota_of(JobId id) override {
        return admission_->name_of(id, job(id));
    }
    [[nodiscard]] Meter* meter() override { return admission_->meter(); }
    [[nodiscard]] std::uint64_t decisions() const override { return cycles_; }
    void watch(std::uint64_t arrival, JobObserver& observer) override {
        watched_.emplace(arrival,
                         observer,
                         Placer(settings_.profile, actions_.cluster(), false),
                         std::nullopt,
                         KeptOut());
    }

private:
    /// A pod as its job asks for it. Equal pods of all jobs are one object.
    using Template = DisruptionBudgets::Template;
    struct OwnJob {
        Template asked;                             ///< As its pods came.
        std::shared_ptr<const NodeSelector> nodes;  ///< Where these may run.
        Template pod;                               ///< With what its admission added.
        std::string message;  ///< What the last cycle of one of its pods said.
        std::uint64_t named = 0;
        core::Members pods = 0;     ///< So many budgets count.
        OptionalTime preempted_at;  ///< When it lost its places last to more important pods.
        bool rests = false;         ///< Its pods wait for the first backoff.
        bool is_ready = false;      ///< Whether all pods that may start have nodes.
    };
    /// Pods to which an admission added something.
    struct Admitted {
        Template pod;
        std::shared_ptr<const NodeSelector> nodes;
    };
    /// The end of a cycle for pods of a template.
    struct Failure {
        std::uint64_t version = 0;  ///< It is that of the cluster.
        std::set<std::string_view> rejected_by;
        std::string message;
    };
    using Shape = std::tuple<Demand, std::string, std::int32_t, std::string>;

    [[nodiscard]] const Job& job(JobId id) const { return actions_.job(id).job(); }
    [[nodiscard]] Template template_of(const Job& job);
    [[nodiscard]] std::unique_ptr<Admission> make_admission(RecordSink& sink);
    void wait(JobId id);
    void let_in(JobId id) override;
    void take_out(JobId id) override;
    void start_at(JobId id, Placement placement) override;
    [[nodiscard]] const Admitted& with_added(const OwnJob& own, const AddedToPods& added);
    void note_ready(JobId id);
    void count_pods(JobId id, core::Members pods);
    [[nodiscard]] std::string why_without_claims(JobId id);
    void enqueue(JobId id, core::Members pods);
    void request_cycle(SimTime at);
    void cycle(QueuedPod waiting);
    /// `ahead`: so many pods of the job have names and no node.
    [[nodiscard]] core::kube::Pod object_of(const QueuedPod& waiting, std::uint64_t ahead = 0);
    void place(const QueuedPod& known,
               core::kube::Pod pod,
               core::ServerId server,
               core::kube::DeviceClaims::Reservation how);
    void start(const QueuedPod& waiting, core::kube::Pod pod, std::size_t node);
    void pods_left(JobId id);
    void fail(QueuedPod waiting,
              core::kube::Pod pod,
              const core::kube::Feasible& found,
              bool is_lasting);
    void preempt(core::kube::Pod pod, const core::kube::PreemptionCandidate& best);
    void clear_nominations(const core::kube::Pod& pod, const std::string& node);
    void evict_all(const std::vector<const core::kube::CountedPod*>& victims);
    void deallocate(
        const std::vector<std::pair<const core::kube::Pod*, const core::kube::PodClaim*>>& claims);
    void note_failure(QueuedPod waiting, const Failure& failure);
    void note_error(QueuedPod waiting, const std::string& message);
    using Inquire = std::function<std::shared_ptr<Inquiry>()>;
    [[nodiscard]] Inquire inquire_for(const QueuedPod& waiting);
    void note_message(JobId id, const Failure& failure, const Inquire& inquire);
    void tell_queue(const ClusterEvent& event);
    void forget_waiting(JobId id, core::Members most);
    void resize_waiting(JobId id, core::Members size);
    [[nodiscard]] bool is_given_up(JobId id) const;

    // Gangs, in gang_cycles.cpp.
    [[nodiscard]] std::size_t min_count_of(const PodGroup& group) const;
    [[nodiscard]] bool is_gated(JobId id) const;
    [[nodiscard]] bool retry_gangs();
    [[nodiscard]] std::vector<QueuedPod> waiting_members(const PodGroup& group, QueuedPod first);
    [[nodiscard]] core::kube::Gang gang_of(const PodGroup& group,
                                           const std::vector<QueuedPod>& members);
    void cycle_of_gang(const PodGroup& group, QueuedPod first);
    void preempt_for(const core::kube::Gang& gang,
                     std::int64_t priority,
                     core::kube::GangCycle& cycle);
    struct GangDecision {
        core::kube::GangCycle::Outcome outcome;
        bool goes_on = false;    ///< It is tried again once others have left for it.
        std::uint64_t seen = 0;  ///< The changes of the cluster that its cycle saw.
    };
    void settle(const QueuedPod& pod,
                const core::kube::Pod& object,
                const core::kube::GangMember& found,
                const GangDecision& decision);
    void tell_of_gang(const std::vector<QueuedPod>& members,
                      const core::kube::Gang& gang,
                      const core::kube::GangCycle& cycle);

    [[nodiscard]] bool is_watched(JobId id) const;
    void tell_watcher(JobId id, const Failure& failure, const Inquire& inquire);
    void tell_watcher_of_admission();
    void show(JobId id, const KeptOut& kept_out, bool is_of_placer, const Inquire& inquire);

    struct Watched {
        std::uint64_t arrival;
        JobObserver& observer;
        Placer placer;  ///< Observers may ask it, as in a run with a profile.
        std::optional<JobId> id;
        KeptOut kept_out;  ///< What was last shown of its admission.
    };

    const KubeSettings& own_;
    const Settings& settings_;
    RecordSink& sink_;
    Actions& actions_;
    std::unique_ptr<Admission> admission_;  ///< Always set.
    NodesAndPods nodes_;
    DisruptionBudgets budgets_;
    SchedulingQueue queue_;
    PodGroups groups_;
    ByJob<OwnJob> jobs_;
    std::map<Shape, Template> templates_;
    std::map<std::pair<Template, std::string>, Admitted> admitted_;  ///< By what was added.
    std::map<Template, Failure> failures_;
    std::uint64_t numbers_ = 0;
    std::uint64_t cycles_ = 0;
    bool changed_ = false;  ///< Whether anything has changed since pods were retried.
    std::optional<Watched> watched_;
    bool is_deciding_ = false;
    std::uint64_t deallocations_ = 0;  ///< So many claims had lost their devices at the last event.
    bool pods_matter_ = false;         ///< Whether what pods get may depend on other pods.
    std::optional<SimTime> rings_at_;
};

}  // namespace berth::sim

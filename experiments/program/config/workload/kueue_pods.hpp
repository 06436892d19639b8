#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/placement/level_constraints.hpp"
#include "core/support/value.hpp"
#include "core/tree/topology.hpp"
#include "experiments/program/config/workload/pod_labels.hpp"

namespace berth::experiments {

/// The pods that a Workload of Kueue stands for until it is admitted: equal pods of one pod set.
struct WorkloadPods {
    core::Value pod;  ///< One of the pods as it would be, with the job's pod group and its queue.
    core::Members count = 1;
};

/// The pods of the Workloads in a file that wait for quota: those that are neither admitted nor
/// finished nor inactive.
[[nodiscard]] std::vector<WorkloadPods> pods_of_waiting_workloads(const core::Value& document,
                                                                  core::Diagnostics& diagnostics);

/// Warns about fields of those Workloads that a run does not model, and about inactive Workloads.
void warn_of_waiting_workloads(const core::Value& document, core::Diagnostics& diagnostics);

/// The Workloads in a file that have not finished.
[[nodiscard]] std::vector<const core::Value*> workloads_of_kueue(const core::Value& document);

/// Whether a Workload waits for quota.
[[nodiscard]] bool waits_for_admission(const core::Value& workload);

/// Whether a label or an annotation of this name tells something about a pod's queue.
[[nodiscard]] bool tells_queue(std::string_view key);

/// The LocalQueues of Kueue that the pods of a file belong to: by the pod's label, or by the
/// Workload that stands for the pod or for its controller.
class KueuePods {
public:
    /// All arguments must outlive this.
    KueuePods(const core::Value& document, const PodLabels& labels, core::Diagnostics& diagnostics);

    /// The LocalQueue of a pod; "" if none is told, or if the run has no such queue, which is
    /// counted.
    [[nodiscard]] std::string queue_of(const core::Value& pod);
    /// Whether only Kueue keeps the scheduler from considering the pod.
    [[nodiscard]] static bool waits_for_quota(const core::Value& pod);
    /// Whether a Workload that waits for quota stands for the pod.
    [[nodiscard]] bool is_in_waiting_workload(const core::Value& pod) const;
    /// Where Kueue's topologies place a pod, as it or its Workload requests; nothing if it does not
    /// request a place, or if the run has no Kueue. Errors: recorded for a label that stands for no
    /// level of the cluster.
    [[nodiscard]] std::optional<core::LevelConstraints> constraints_of(const core::Value& pod,
                                                                       const core::Topology& tree);
    /// Warns once, with counts, about pods that hold no quota although they name a queue.
    void warn();

private:
    struct Counted {
        std::uint64_t pods = 0;
        core::SourceSpan first;
        std::string example;
    };
    /// A namespace and a name.
    using Named = std::pair<std::string, std::string>;

    [[nodiscard]] std::string told_queue(const core::Value& pod) const;

    const PodLabels& labels_;
    core::Diagnostics& diagnostics_;
    std::map<Named, std::string> of_workload_;  ///< The queue of each Workload.
    std::map<Named, std::string> of_owner_;     ///< The queue of each Workload's owner.
    std::set<Named> waiting_;                   ///< Waiting Workloads, and their owners.
    Counted without_kueue_;
    Counted unknown_;
    std::set<std::string> unknown_labels_;  ///< Labels that were already reported.
};

}  // namespace berth::experiments

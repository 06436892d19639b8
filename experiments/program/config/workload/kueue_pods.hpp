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

/// Pods that a Workload of Kueue's stands for until it is admitted: equal pods of one pod set.
struct WorkloadPods {
    core::Value pod;  ///< As one of them would be, with the job's pod group and its queue.
    core::Members count = 1;
};

/// Those of the Workloads of a file that wait for quota: neither admitted nor finished nor
/// inactive.
[[nodiscard]] std::vector<WorkloadPods> pods_of_waiting_workloads(const core::Value& document,
                                                                  core::Diagnostics& diagnostics);

/// Says what those Workloads ask for by which no run goes, and which others are inactive.
void warn_of_waiting_workloads(const core::Value& document, core::Diagnostics& diagnostics);

/// The Workloads of a file that have not finished.
[[nodiscard]] std::vector<const core::Value*> workloads_of_kueue(const core::Value& document);

/// Whether a Workload waits for quota.
[[nodiscard]] bool waits_for_admission(const core::Value& workload);

/// Whether a label or an annotation of this name says something of a pod's queue.
[[nodiscard]] bool tells_queue(std::string_view key);

/// Which LocalQueues of Kueue the pods of a file belong to: by their label, or as the Workload
/// says that stands for them or for who controls them.
class KueuePods {
public:
    /// All outlive it.
    KueuePods(const core::Value& document, const PodLabels& labels, core::Diagnostics& diagnostics);

    /// Its LocalQueue; "" where none is told, or the run has no such queue, which is counted.
    [[nodiscard]] std::string queue_of(const core::Value& pod);
    /// Whether nothing but Kueue keeps the scheduler from looking at it.
    [[nodiscard]] static bool waits_for_quota(const core::Value& pod);
    /// Whether a Workload stands for it that waits for quota.
    [[nodiscard]] bool is_in_waiting_workload(const core::Value& pod) const;
    /// Where Kueue's topologies place a pod, as it or its Workload asks; nothing: it does not ask,
    /// or the run has no Kueue. Errors: recorded: a label that stands for no level of the cluster.
    [[nodiscard]] std::optional<core::LevelConstraints> constraints_of(const core::Value& pod,
                                                                       const core::Topology& tree);
    /// Says once, with counts, which pods hold no quota though they name a queue.
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
    std::map<Named, std::string> of_workload_;  ///< Queues.
    std::map<Named, std::string> of_owner_;     ///< The same by the owner of the Workload.
    std::set<Named> waiting_;                   ///< Workloads, and their owners.
    Counted without_kueue_;
    Counted unknown_;
    std::set<std::string> unknown_labels_;  ///< Each is told of once.
};

}  // namespace berth::experiments

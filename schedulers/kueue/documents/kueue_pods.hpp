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
#include "experiments/program/config/workload/queued_pods.hpp"

namespace berth::experiments {

/// The pods of the Workloads in a file that wait for quota: those that are neither admitted nor
/// finished nor inactive.
[[nodiscard]] std::vector<WaitingPods> pods_of_waiting_workloads(const core::Value& document,
                                                                 core::Diagnostics& diagnostics);

/// Warns about fields of those Workloads that a run does not model, and about inactive Workloads.
void warn_of_waiting_workloads(const core::Value& document, core::Diagnostics& diagnostics);

/// The Workloads in a file that have not finished, each without its pods if it does not wait for
/// quota: they are in the file.
[[nodiscard]] std::vector<core::Value> trimmed_workloads(const core::Value& document);

/// Whether a label or an annotation of this name tells something about a pod's queue.
[[nodiscard]] bool tells_queue_of_kueue(std::string_view key);

/// The LocalQueues of Kueue that the pods of a file belong to: by the pod's label, or by the
/// Workload that stands for the pod or for its controller.
class KueuePods final : public QueuedPods {
public:
    /// All arguments must outlive this.
    KueuePods(const core::Value& document, const PodLabels& labels, core::Diagnostics& diagnostics);

    [[nodiscard]] std::string queue_of(const core::Value& pod) override;
    [[nodiscard]] bool waits_for_quota(const core::Value& pod) const override;
    [[nodiscard]] bool has_waiting_object(const core::Value& pod) const override;
    [[nodiscard]] std::optional<core::LevelConstraints> constraints_of(
        const core::Value& pod, const core::Topology& tree) override;
    void warn() override;

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

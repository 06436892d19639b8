#pragma once

#include <cstdint>
#include <vector>

#include "core/tree/resources.hpp"
#include "schedulers/kueue/decide/assignment.hpp"
#include "sim/job/job.hpp"

namespace berth::sim {

/// Makes Kueue workloads from jobs: one pod set, whose pods ask for what the job's pods demand.
///
/// GPUs and everything else except CPUs are counted whole, rounded up. A group that may start with
/// fewer members may be admitted with fewer.
/// Source: Kueue, pkg/workload/workload.go, pkg/resources/requests.go.
class KueueWorkloads {
public:
    /// Notes the schema's resources in `names`. The schema outlives it.
    KueueWorkloads(const core::ResourceSchema& resources, core::kueue::Names& names);

    /// A workload that waits for quota of this ClusterQueue. `arrival` distinguishes it from others
    /// of the same age.
    [[nodiscard]] core::kueue::Workload make(const Job& job,
                                             std::uint64_t arrival,
                                             const core::kueue::Cache& cache,
                                             core::kueue::QuotaNode queue) const;

    /// The workload asks for `size` pods of its set, because others are done.
    static void set_size(core::kueue::Workload& workload, core::Members size);

    /// The workload with these flavors, which holds quota from now on.
    [[nodiscard]] core::kueue::Workload admit(core::kueue::Workload workload,
                                              const core::kueue::Assignment& assignment,
                                              SimTime now) const;

private:
    struct Resource {
        core::kueue::ResourceId id;
        core::Amount unit = 1;  ///< The amount of the schema that is one of Kueue's units.
    };

    std::vector<Resource> resources_;  ///< The resources in the schema's order.
    core::kueue::ResourceId pods_;
};

/// Usage of each resource, over all flavors.
[[nodiscard]] core::kueue::ResourceAmounts by_resource(
    const core::kueue::FlavorResourceAmounts& usage);

/// What admission fair sharing charges for a workload that gets quota: what all its pods ask for,
/// as far as that counts in its ClusterQueue.
[[nodiscard]] core::kueue::ResourceAmounts entry_requests(const core::kueue::Workload& asked,
                                                          const core::kueue::Cache& cache);

/// An instant as in Kubernetes objects, in whole seconds.
[[nodiscard]] core::kueue::Time kueue_time(SimTime time);

}  // namespace berth::sim

#pragma once

#include <cstdint>
#include <vector>

#include "core/tree/resources.hpp"
#include "schedulers/kueue/decide/assignment.hpp"
#include "sim/job/job.hpp"

namespace berth::sim {

/// Makes Kueue's workloads of jobs: one pod set, whose pods ask for what the job's pods demand.
///
/// GPUs and everything else but CPUs are counted whole, rounded up. A group that may start with
/// fewer members may be admitted with fewer.
/// Source: Kueue, pkg/workload/workload.go, pkg/resources/requests.go.
class KueueWorkloads {
public:
    /// Notes the schema's resources in `names`. The schema outlives it.
    KueueWorkloads(const core::ResourceSchema& resources, core::kueue::Names& names);

    /// What waits for quota of this ClusterQueue. `arrival` tells it from others of the same age.
    [[nodiscard]] core::kueue::Workload make(const Job& job,
                                             std::uint64_t arrival,
                                             const core::kueue::Cache& cache,
                                             core::kueue::QuotaNode queue) const;

    /// It asks for so many pods of its set, since others are done.
    static void set_size(core::kueue::Workload& workload, core::Members size);

    /// The workload with these flavors, which holds quota from now on.
    [[nodiscard]] core::kueue::Workload admit(core::kueue::Workload workload,
                                              const core::kueue::Assignment& assignment,
                                              SimTime now) const;

private:
    struct Resource {
        core::kueue::ResourceId id;
        core::Amount unit = 1;  ///< How much of the schema's amount is one of Kueue's units.
    };

    std::vector<Resource> resources_;  ///< In the schema's order.
    core::kueue::ResourceId pods_;
};

/// Usage of each resource, of any flavor.
[[nodiscard]] core::kueue::ResourceAmounts by_resource(
    const core::kueue::FlavorResourceAmounts& usage);

/// What admission fair sharing charges for a workload that gets quota: what all its pods ask for,
/// as far as that counts in its ClusterQueue.
[[nodiscard]] core::kueue::ResourceAmounts entry_requests(const core::kueue::Workload& asked,
                                                          const core::kueue::Cache& cache);

/// An instant as Kubernetes' objects have it, in whole seconds.
[[nodiscard]] core::kueue::Time kueue_time(SimTime time);

}  // namespace berth::sim

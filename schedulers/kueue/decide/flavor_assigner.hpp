#pragma once

#include <boost/container/small_vector.hpp>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "schedulers/kueue/decide/assignment.hpp"
#include "schedulers/kueue/decide/flavor_mode.hpp"
#include "schedulers/kueue/decide/preemption.hpp"
#include "schedulers/kueue/decide/workload_order.hpp"

namespace berth::core::kueue {

/// The flavors that an assignment is held to, by pod set and resource.
using FlavorNomination = std::map<std::string, ResourceFlavors>;

/// Assigns flavors to the pod sets of a workload, one pod set or group of them after the other.
///
/// Source: Kueue, pkg/scheduler/flavorassigner/flavorassigner.go.
class FlavorAssigner {
public:
    /// `last` says where to go on with the flavors, and `nomination` which ones there are; either
    /// may be nullptr.
    FlavorAssigner(Cache& cache,
                   const WorkloadOrder& order,
                   const Workload& workload,
                   const LastAssignment* last,
                   const FlavorNomination* nomination);

    /// For so many pods of each pod set; without counts for all that there are.
    [[nodiscard]] Assignment assign(std::span<const std::int64_t> counts = {});

private:
    using PodSets = boost::container::small_vector<std::size_t, 2>;
    /// Amounts by resource, in the order in which Kueue goes through them.
    using Requests = boost::container::small_vector<std::pair<ResourceId, Amount>, 4>;
    /// What the pod sets of one group get together.
    struct Found {
        boost::container::flat_map<ResourceId, AssignedFlavor> flavors;
        std::vector<std::string> reasons;
    };
    struct Trial {
        Found found;  ///< With this flavor; reasons also where it is none.
        FlavorMode mode;
        NoFitReason no_fit_reason = NoFitReason::none;
    };
    struct Best {
        Found found;  ///< With the reasons of all that were tried.
        FlavorMode mode{FlavorFit::no_fit, std::numeric_limits<std::int64_t>::max()};
    };
    struct Fit {
        FlavorMode mode;
        std::string reason;  ///< Empty if it simply fits.
        NoFitReason no_fit_reason = NoFitReason::none;
    };

    [[nodiscard]] std::vector<PodSetResources> scaled(std::span<const std::int64_t> counts) const;
    [[nodiscard]] std::vector<PodSets> groups() const;
    [[nodiscard]] Requests in_order(const ResourceAmounts& requests) const;
    /// Whether a resource that the queue does not cover is let pass.
    [[nodiscard]] bool is_exempt(ResourceId resource, Amount request) const;
    [[nodiscard]] Found assign_group(const PodSets& sets, const ResourceAmounts& requests);
    /// Adds what a group got to the assignment; false if one of its pod sets got nothing.
    bool record(const PodSets& sets, const Found& found, std::span<const PodSetResources> totals);
    [[nodiscard]] Found scan(const PodSets& sets, const Requests& requests, ResourceId first);
    /// Whether a flavor is not to be tried; the reason is added to the others.
    [[nodiscard]] bool is_left_out(const PodSets& sets,
                                   ResourceId resource,
                                   FlavorId flavor,
                                   std::vector<std::string>& reasons);
    /// Keeps the flavor if it is better than the best so far. Whether no other is to be tried.
    [[nodiscard]] bool weigh(FlavorId flavor, Trial trial, Best& best);
    [[nodiscard]] std::size_t first_flavor(const PodSets& sets, ResourceId resource) const;
    [[nodiscard]] bool is_nominated(const PodSets& sets,
                                    ResourceId resource,
                                    FlavorId flavor) const;
    /// Why no pod of these may run on a flavor's nodes; empty if all may.
    [[nodiscard]] std::string mismatch(const PodSets& sets, FlavorId flavor) const;
    [[nodiscard]] Trial try_flavor(FlavorId flavor, const Requests& requests);
    [[nodiscard]] Fit fit_quota(FlavorResource what, Amount request);
    [[nodiscard]] NoFitReason no_fit_reason() const;

    Cache& cache_;
    const WorkloadOrder& order_;
    const Workload& workload_;
    const ClusterQueue& queue_;
    const LastAssignment* last_;
    const FlavorNomination* nomination_;
    Assignment assignment_;
    std::vector<FlavorAttempt> attempts_;  ///< Of the group that is being assigned.
};

}  // namespace berth::core::kueue

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

/// The flavors that an assignment is bound to, by pod set and resource.
using FlavorNomination = std::map<std::string, ResourceFlavors>;

/// Assigns flavors to the pod sets of a workload, one pod set or one group of pod sets after the
/// other.
///
/// Source: Kueue, pkg/scheduler/flavorassigner/flavorassigner.go.
class FlavorAssigner {
public:
    /// `last` says where to go on with the flavors, and `nomination` which flavors are allowed;
    /// either may be nullptr.
    FlavorAssigner(Cache& cache,
                   const WorkloadOrder& order,
                   const Workload& workload,
                   const LastAssignment* last,
                   const FlavorNomination* nomination);

    /// Assigns flavors for `counts` pods of each pod set; without counts, for all pods.
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
        /// The result with this flavor; it has reasons even if the flavor will not do.
        Found found;
        FlavorMode mode;
        NoFitReason no_fit_reason = NoFitReason::none;
    };
    struct Best {
        Found found;  ///< It has the reasons of all flavors that were tried.
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
    /// Whether a resource that the queue does not cover is accepted without quota.
    [[nodiscard]] bool is_exempt(ResourceId resource, Amount request) const;
    [[nodiscard]] Found assign_group(const PodSets& sets, const ResourceAmounts& requests);
    /// Adds what a group got to the assignment; false if one of its pod sets got nothing.
    bool record(const PodSets& sets, const Found& found, std::span<const PodSetResources> totals);
    [[nodiscard]] Found scan(const PodSets& sets, const Requests& requests, ResourceId first);
    /// Whether a flavor must not be tried. The reason is added to `reasons`.
    [[nodiscard]] bool is_left_out(const PodSets& sets,
                                   ResourceId resource,
                                   FlavorId flavor,
                                   std::vector<std::string>& reasons);
    /// Keeps the flavor if it is better than the best so far. Returns whether no other flavor is to
    /// be tried.
    [[nodiscard]] bool weigh(FlavorId flavor, Trial trial, Best& best);
    [[nodiscard]] std::size_t first_flavor(const PodSets& sets, ResourceId resource) const;
    [[nodiscard]] bool is_nominated(const PodSets& sets,
                                    ResourceId resource,
                                    FlavorId flavor) const;
    /// Why the pods of these pod sets may not run on a flavor's nodes; empty if all of them may.
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
    std::vector<FlavorAttempt> attempts_;  ///< The attempts of the group that is being assigned.
};

}  // namespace berth::core::kueue

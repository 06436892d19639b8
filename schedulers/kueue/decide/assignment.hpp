#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schedulers/kueue/decide/cache.hpp"
#include "schedulers/kueue/decide/flavor_mode.hpp"
#include "schedulers/kueue/decide/quota_check.hpp"

namespace berth::core::kueue {

/// Why there is no fit, from the mildest to the most severe.
enum class NoFitReason : std::uint8_t {
    none,
    topology_placement_failed,
    waiting_for_quota,
    exceeds_max_quota,
    no_matching_flavor,
};
[[nodiscard]] std::string_view to_string(NoFitReason reason);

/// The flavor of one resource of a pod set.
struct AssignedFlavor {
    FlavorId flavor;
    AssignmentMode mode = AssignmentMode::no_fit;
    std::int64_t height = 0;  ///< How high the lending cohort is; 0 without borrowing.
    std::int64_t tried = 0;   ///< See TriedFlavors.
};

/// A flavor that was looked at, and what came of it.
struct FlavorAttempt {
    FlavorId flavor;
    AssignmentMode mode = AssignmentMode::no_fit;
    NoFitReason reason = NoFitReason::none;
};

struct PodSetAssignment {
    std::string name;
    std::int64_t count = 0;
    boost::container::flat_map<ResourceId, AssignedFlavor> flavors;
    std::vector<std::string> reasons;  ///< Why it is not simply a fit.
    std::vector<FlavorAttempt> attempts;
    std::optional<TopologyAssignment> places;  ///< The places, if it is placed by topology.
    FlavorId placed_on;                        ///< The flavor on whose nodes the places are.

    [[nodiscard]] AssignmentMode mode() const;
    void set_mode(AssignmentMode mode);
};

/// Flavors for all that a workload asks for, or for the pod sets that got some.
struct Assignment {
    std::vector<PodSetAssignment> pod_sets;
    std::int64_t height = 0;  ///< The greatest height among its flavors.
    FlavorResourceAmounts usage;
    std::int64_t generation = 0;  ///< The generation of the ClusterQueue when this was made.
    TriedFlavors tried;
    bool deferred = false;  ///< It is a fit that waits for workloads that are being preempted.
    NoFitReason no_fit_reason = NoFitReason::none;
    std::vector<QuotaCheck> checks;  ///< The checks, in the order in which they were made.

    [[nodiscard]] AssignmentMode mode() const;
    /// Why it is not simply a fit, in Kueue's words.
    [[nodiscard]] std::string message() const;
    /// The flavor resources that fit only if other workloads are preempted.
    [[nodiscard]] FlavorResources scarce() const;
};

/// Why one pod set does not simply fit, in Kueue's words.
[[nodiscard]] std::string unassigned_message(std::string_view pod_set,
                                             std::vector<std::string> reasons);

/// An amount as Kueue writes it in messages: CPU in cores, bytes by powers of two.
[[nodiscard]] std::string format_amount(std::string_view resource, Amount amount);

}  // namespace berth::core::kueue

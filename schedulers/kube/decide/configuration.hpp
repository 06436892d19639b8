#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schedulers/kube/decide/objects.hpp"

namespace berth::core::kube {

/// Which kube-scheduler decides. A later version compares greater.
enum class SchedulerVersion : std::uint8_t { v1_36, v1_37 };

/// The plugins that score nodes, in the order in which they run.
enum class ScorePlugin : std::uint8_t {
    taint_toleration,
    node_affinity,
    resources_fit,
    topology_spread,
    pod_affinity,
    dynamic_resources,
    balanced_allocation,
    image_locality,
};
inline constexpr std::array<std::string_view, 8> score_plugin_names{
    "TaintToleration",
    "NodeAffinity",
    "NodeResourcesFit",
    "PodTopologySpread",
    "InterPodAffinity",
    "DynamicResources",
    "NodeResourcesBalancedAllocation",
    "ImageLocality",
};

struct WeightedResource {
    std::string name;
    std::int64_t weight = 1;
};

enum class ScoringStrategy : std::uint8_t {
    least_allocated,
    most_allocated,
    requested_to_capacity_ratio,
};

/// The version, and what a KubeSchedulerConfiguration says about one profile, with the defaults of
/// Kubernetes.
struct Configuration {
    SchedulerVersion version = SchedulerVersion::v1_36;
    std::int64_t percentage_of_nodes_to_score = 0;  ///< 0 leaves it to the number of nodes.
    std::array<std::int64_t, score_plugin_names.size()> weights{3, 2, 1, 2, 2, 2, 1, 1};

    /// Arguments of NodeAffinity.
    std::optional<NodeTerms> added_nodes;
    std::vector<PreferredNodeTerm> added_preferred_nodes;

    /// Arguments of NodeResourcesFit.
    std::set<std::string, std::less<>> ignored_resources;
    std::set<std::string, std::less<>> ignored_resource_groups;
    ScoringStrategy strategy = ScoringStrategy::least_allocated;
    std::vector<WeightedResource> fit_resources{{"cpu", 1}, {"memory", 1}};
    /// Utilization in percent, and the score of 0 to 100 there.
    std::vector<std::pair<std::int64_t, std::int64_t>> shape;

    /// Arguments of NodeResourcesBalancedAllocation.
    std::vector<std::string> balanced_resources{"cpu", "memory"};

    /// Arguments of PodTopologySpread: constraints of pods without any, which have no selector of
    /// their own; nothing: the defaults of the system.
    std::optional<std::vector<SpreadConstraint>> default_constraints;

    /// Arguments of InterPodAffinity.
    std::int64_t hard_pod_affinity_weight = 1;
    bool ignores_preferred_terms_of_existing_pods = false;

    /// Arguments of DefaultPreemption.
    std::int64_t min_candidate_nodes_percentage = 10;
    std::int64_t min_candidate_nodes_absolute = 100;
};

}  // namespace berth::core::kube

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "schedulers/kube/requests/kube_objects.hpp"

namespace berth::experiments {
namespace {

namespace kube = core::kube;

void read_weights(const RequestField& field, kube::Configuration& read) {
    for (const auto& [name, weight] : field.entries()) {
        const auto plugin = std::ranges::find(kube::score_plugin_names, name);
        if (plugin == kube::score_plugin_names.end()) {
            weight.fail("the weight of a plugin that scores nodes");
        }
        read.weights[static_cast<std::size_t>(plugin - kube::score_plugin_names.begin())] =
            weight.whole(0, INT32_MAX);
    }
}

std::set<std::string, std::less<>> read_names(const RequestField& list) {
    std::set<std::string, std::less<>> names;
    for (std::string& name : list.texts()) {
        names.insert(std::move(name));
    }
    return names;
}

void read_node_affinity(const RequestField& field, kube::Configuration& read) {
    const RequestField added = field["addedAffinity"];
    const RequestField terms = added["requiredDuringSchedulingIgnoredDuringExecution"];
    if (terms.is_present()) {
        read.added_nodes = read_node_terms(terms);
    }
    read.added_preferred_nodes =
        read_preferred_nodes(added["preferredDuringSchedulingIgnoredDuringExecution"]);
}

void read_fit(const RequestField& field, kube::Configuration& read) {
    read.ignored_resources = read_names(field["ignoredResources"]);
    read.ignored_resource_groups = read_names(field["ignoredResourceGroups"]);
    const RequestField strategy = field["scoringStrategy"];
    if (const RequestField type = strategy["type"]; type.is_present()) {
        read.strategy = static_cast<kube::ScoringStrategy>(
            type.choice({"LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"}));
    }
    if (const std::vector<RequestField> resources = strategy["resources"].items();
        !resources.empty()) {
        read.fit_resources.clear();
        for (const RequestField& resource : resources) {
            const std::int64_t weight = resource["weight"].whole_or(1, 0, 100);
            read.fit_resources.push_back({resource["name"].text(), weight == 0 ? 1 : weight});
        }
    }
    for (const RequestField& point : strategy["requestedToCapacityRatio"]["shape"].items()) {
        constexpr std::int64_t points_of_a_score = 10;
        read.shape.emplace_back(point["utilization"].whole_or(0, 0, 100),
                                points_of_a_score * point["score"].whole_or(0, 0, 10));
        if (read.shape.size() > 1 && read.shape.back().first <= (read.shape.end() - 2)->first) {
            point["utilization"].fail("more than that of the point before");
        }
    }
    if (read.strategy == kube::ScoringStrategy::requested_to_capacity_ratio && read.shape.empty()) {
        strategy.fail("requestedToCapacityRatio with a shape of at least one point");
    }
}

void read_spread(const RequestField& field, kube::Configuration& read) {
    const RequestField defaulting = field["defaultingType"];
    if (!defaulting.is_present() || defaulting.choice({"System", "List"}) == 0) {
        return;
    }
    const RequestField constraints = field["defaultConstraints"];
    read.default_constraints = read_spread_constraints(constraints, {});
}

}  // namespace

kube::Configuration read_kube_configuration(const RequestField& field) {
    kube::Configuration read;
    read.percentage_of_nodes_to_score = field["percentageOfNodesToScore"].whole_or(0, 0, 100);
    read_weights(field["weights"], read);
    const RequestField plugins = field["pluginConfig"];
    read_node_affinity(plugins["NodeAffinity"], read);
    read_fit(plugins["NodeResourcesFit"], read);
    const std::vector<RequestField> balanced =
        plugins["NodeResourcesBalancedAllocation"]["resources"].items();
    if (!balanced.empty()) {
        read.balanced_resources.clear();
        for (const RequestField& resource : balanced) {
            read.balanced_resources.push_back(resource["name"].text());
        }
    }
    read_spread(plugins["PodTopologySpread"], read);
    const RequestField affinity = plugins["InterPodAffinity"];
    read.hard_pod_affinity_weight = affinity["hardPodAffinityWeight"].whole_or(1, 0, 100);
    read.ignores_preferred_terms_of_existing_pods =
        affinity["ignorePreferredTermsOfExistingPods"].boolean_or(false);
    const RequestField preemption = plugins["DefaultPreemption"];
    read.min_candidate_nodes_percentage =
        preemption["minCandidateNodesPercentage"].whole_or(10, 0, 100);
    read.min_candidate_nodes_absolute =
        preemption["minCandidateNodesAbsolute"].whole_or(100, 0, INT32_MAX);
    return read;
}

}  // namespace berth::experiments

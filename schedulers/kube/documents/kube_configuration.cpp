#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "schedulers/kube/documents/kube_objects.hpp"

namespace berth::experiments {
namespace {

namespace kube = core::kube;

/// Kubernetes' own plugins whose arguments and weights matter to nothing here.
constexpr std::array without_effect{"DefaultBinder",
                                    "DynamicResources",
                                    "GangScheduling",
                                    "ImageLocality",
                                    "NodeDeclaredFeatures",
                                    "NodeName",
                                    "NodePorts",
                                    "NodeUnschedulable",
                                    "NodeVolumeLimits",
                                    "PrioritySort",
                                    "SchedulingGates",
                                    "TaintToleration",
                                    "VolumeBinding",
                                    "VolumeRestrictions",
                                    "VolumeZone"};

bool is_known(std::string_view plugin) {
    return std::ranges::find(without_effect, plugin) != without_effect.end();
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

void read_balance(const RequestField& field, kube::Configuration& read) {
    const std::vector<RequestField> resources = field["resources"].items();
    if (resources.empty()) {
        return;
    }
    read.balanced_resources.clear();
    for (const RequestField& resource : resources) {
        read.balanced_resources.push_back(resource["name"].text());
    }
}

void read_pod_affinity(const RequestField& field, kube::Configuration& read) {
    read.hard_pod_affinity_weight = field["hardPodAffinityWeight"].whole_or(1, 0, 100);
    read.ignores_preferred_terms_of_existing_pods =
        field["ignorePreferredTermsOfExistingPods"].boolean_or(false);
}

void read_preemption(const RequestField& field, kube::Configuration& read) {
    read.min_candidate_nodes_percentage = field["minCandidateNodesPercentage"].whole_or(10, 0, 100);
    read.min_candidate_nodes_absolute =
        field["minCandidateNodesAbsolute"].whole_or(100, 0, INT32_MAX);
}

bool read_plugin_args(std::string_view plugin,
                      const RequestField& args,
                      kube::Configuration& read) {
    using Read = void (*)(const RequestField&, kube::Configuration&);
    static const std::map<std::string, Read, std::less<>> readers{
        {"DefaultPreemption", &read_preemption},
        {"InterPodAffinity", &read_pod_affinity},
        {"NodeAffinity", &read_node_affinity},
        {"NodeResourcesBalancedAllocation", &read_balance},
        {"NodeResourcesFit", &read_fit},
        {"PodTopologySpread", &read_spread}};
    const auto reader = readers.find(plugin);
    if (reader == readers.end()) {
        return false;
    }
    reader->second(args, read);
    return true;
}

bool read_plugin_weight(std::string_view plugin,
                        const RequestField& weight,
                        kube::Configuration& read) {
    const auto found = std::ranges::find(kube::score_plugin_names, plugin);
    if (found == kube::score_plugin_names.end()) {
        return false;
    }
    read.weights[static_cast<std::size_t>(found - kube::score_plugin_names.begin())] =
        weight.whole(0, INT32_MAX);
    return true;
}

}  // namespace

KubeProfile read_kube_profile(const RequestField& configuration) {
    KubeProfile read;
    read.configuration.percentage_of_nodes_to_score =
        configuration["percentageOfNodesToScore"].whole_or(0, 0, 100);
    read.initial_backoff_seconds =
        configuration["podInitialBackoffSeconds"].whole_or(1, 1, INT32_MAX);
    const RequestField longest = configuration["podMaxBackoffSeconds"];
    read.longest_backoff_seconds =
        longest.whole_or(read.longest_backoff_seconds, read.initial_backoff_seconds, INT32_MAX);
    if (read.longest_backoff_seconds < read.initial_backoff_seconds) {
        configuration["podInitialBackoffSeconds"].fail(
            "at most 10, or podMaxBackoffSeconds, which is 10, beside it");
    }
    read.extenders = configuration["extenders"].items().size();
    const std::vector<RequestField> profiles = configuration["profiles"].items();
    if (profiles.empty()) {
        return read;
    }
    const RequestField& profile = profiles.front();
    read.configuration.percentage_of_nodes_to_score = profile["percentageOfNodesToScore"].whole_or(
        read.configuration.percentage_of_nodes_to_score, 0, 100);
    read.more_profiles = profiles.size() - 1;
    read.scheduler_name = profile["schedulerName"].text_or(read.scheduler_name);
    for (const RequestField& plugin : profile["pluginConfig"].items()) {
        const bool counts =
            read_plugin_args(plugin["name"].text(), plugin["args"], read.configuration);
        read.plugins_without_effect += counts ? 0 : 1;
    }
    for (const auto& [point, plugins] : profile["plugins"].entries()) {
        read.plugins_without_effect += plugins["disabled"].items().size();
        for (const RequestField& plugin : plugins["enabled"].items()) {
            const RequestField weight = plugin["weight"];
            const bool counts =
                weight.is_present() &&
                read_plugin_weight(plugin["name"].text(), weight, read.configuration);
            read.plugins_without_effect += counts ? 0 : 1;
        }
    }
    return read;
}

kube::SchedulerVersion read_kube_version(const RequestField& field) {
    return field.is_present() ? static_cast<kube::SchedulerVersion>(field.choice({"1.36", "1.37"}))
                              : kube::Configuration().version;
}

kube::Configuration read_kube_configuration(const RequestField& field) {
    kube::Configuration read;
    read.version = read_kube_version(field["version"]);
    read.percentage_of_nodes_to_score = field["percentageOfNodesToScore"].whole_or(0, 0, 100);
    for (const auto& [plugin, weight] : field["weights"].entries()) {
        if (!read_plugin_weight(plugin, weight, read) && !is_known(plugin)) {
            weight.fail("the weight of a plugin that scores nodes");
        }
    }
    for (const auto& [plugin, args] : field["pluginConfig"].entries()) {
        if (!read_plugin_args(plugin, args, read) && !is_known(plugin)) {
            args.fail("the arguments of a plugin of kube-scheduler");
        }
    }
    return read;
}

}  // namespace berth::experiments

#include "schedulers/kube/documents/configuration_keys.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "experiments/program/config/document/value_below.hpp"
#include "schedulers/kube/documents/known_keys.hpp"
#include "schedulers/kube/documents/pod_keys.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::Value;

constexpr KnownKeys plugin_keys{"a plugin", {KnownKey{"name"}, KnownKey{"weight"}}};
constexpr KnownKeys plugin_set_keys{
    "plugins of an extension point",
    {key_of_list("enabled", plugin_keys), key_of_list("disabled", plugin_keys)}};
constexpr KnownKeys plugins_keys{"plugins",
                                 {key_of_map("preEnqueue", plugin_set_keys),
                                  key_of_map("queueSort", plugin_set_keys),
                                  key_of_map("preFilter", plugin_set_keys),
                                  key_of_map("filter", plugin_set_keys),
                                  key_of_map("postFilter", plugin_set_keys),
                                  key_of_map("preScore", plugin_set_keys),
                                  key_of_map("score", plugin_set_keys),
                                  key_of_map("reserve", plugin_set_keys),
                                  key_of_map("permit", plugin_set_keys),
                                  key_of_map("preBind", plugin_set_keys),
                                  key_of_map("bind", plugin_set_keys),
                                  key_of_map("postBind", plugin_set_keys),
                                  key_of_map("multiPoint", plugin_set_keys),
                                  key_of_map("placementGenerate", plugin_set_keys),
                                  key_of_map("placementScore", plugin_set_keys),
                                  key_of_map("podGroupPostFilter", plugin_set_keys)}};
constexpr KnownKeys plugin_config_keys{"an entry of pluginConfig",
                                       {KnownKey{"name"}, KnownKey{"args"}}};
constexpr KnownKeys profile_keys{"a profile",
                                 {KnownKey{"schedulerName"},
                                  KnownKey{"percentageOfNodesToScore"},
                                  key_of_map("plugins", plugins_keys),
                                  key_of_list("pluginConfig", plugin_config_keys)}};
constexpr KnownKeys configuration_keys{"a KubeSchedulerConfiguration",
                                       {KnownKey{"apiVersion"},
                                        KnownKey{"kind"},
                                        KnownKey{"parallelism"},
                                        KnownKey{"leaderElection"},
                                        KnownKey{"clientConnection"},
                                        KnownKey{"healthzBindAddress"},
                                        KnownKey{"metricsBindAddress"},
                                        KnownKey{"enableProfiling"},
                                        KnownKey{"enableContentionProfiling"},
                                        KnownKey{"percentageOfNodesToScore"},
                                        KnownKey{"podInitialBackoffSeconds"},
                                        KnownKey{"podMaxBackoffSeconds"},
                                        key_of_list("profiles", profile_keys),
                                        KnownKey{"extenders"},
                                        KnownKey{"delayCacheUntilActive"}}};

constexpr KnownKey version_key{"apiVersion"};
constexpr KnownKey kind_key{"kind"};
constexpr KnownKeys resource_keys{"a resource", {KnownKey{"name"}, KnownKey{"weight"}}};
constexpr KnownKeys point_keys{"a point of a shape", {KnownKey{"utilization"}, KnownKey{"score"}}};
constexpr KnownKeys ratio_keys{"requestedToCapacityRatio", {key_of_list("shape", point_keys)}};
constexpr KnownKeys strategy_keys{"scoringStrategy",
                                  {KnownKey{"type"},
                                   key_of_list("resources", resource_keys),
                                   key_of_map("requestedToCapacityRatio", ratio_keys)}};

constexpr KnownKeys of_preemption{"the args of DefaultPreemption",
                                  {version_key,
                                   kind_key,
                                   KnownKey{"minCandidateNodesPercentage"},
                                   KnownKey{"minCandidateNodesAbsolute"}}};
constexpr KnownKeys of_devices{
    "the args of DynamicResources",
    {version_key, kind_key, KnownKey{"filterTimeout"}, KnownKey{"bindingTimeout"}}};
constexpr KnownKeys of_pod_affinity{"the args of InterPodAffinity",
                                    {version_key,
                                     kind_key,
                                     KnownKey{"hardPodAffinityWeight"},
                                     KnownKey{"ignorePreferredTermsOfExistingPods"}}};
constexpr KnownKeys of_node_affinity{"the args of NodeAffinity",
                                     {version_key, kind_key, KnownKey{"addedAffinity"}}};
constexpr KnownKeys of_balance{"the args of NodeResourcesBalancedAllocation",
                               {version_key, kind_key, key_of_list("resources", resource_keys)}};
constexpr KnownKeys of_fit{"the args of NodeResourcesFit",
                           {version_key,
                            kind_key,
                            KnownKey{"ignoredResources"},
                            KnownKey{"ignoredResourceGroups"},
                            key_of_map("scoringStrategy", strategy_keys)}};
constexpr KnownKeys of_spread{
    "the args of PodTopologySpread",
    {version_key, kind_key, KnownKey{"defaultConstraints"}, KnownKey{"defaultingType"}}};
constexpr KnownKeys of_volumes{
    "the args of VolumeBinding",
    {version_key, kind_key, KnownKey{"bindTimeoutSeconds"}, key_of_list("shape", point_keys)}};

constexpr std::array<std::pair<std::string_view, const KnownKeys*>, 8> arguments{
    {{"DefaultPreemption", &of_preemption},
     {"DynamicResources", &of_devices},
     {"InterPodAffinity", &of_pod_affinity},
     {"NodeAffinity", &of_node_affinity},
     {"NodeResourcesBalancedAllocation", &of_balance},
     {"NodeResourcesFit", &of_fit},
     {"PodTopologySpread", &of_spread},
     {"VolumeBinding", &of_volumes}}};

/// kube-scheduler has constraints of its own, unless it is told that there is a list of others.
void check_default_constraints(const Value& args, Diagnostics& diagnostics) {
    const Value* const list = stated_below(args, {"defaultConstraints"});
    if (list == nullptr) {
        return;
    }
    check_spread_keys(*list, diagnostics);
    if (!list->items.empty() && text_below(args, {"defaultingType"}) != "List") {
        core::expected(*list, "defaultConstraints beside defaultingType: List alone", diagnostics);
    }
    for (const Value& one : list->items) {
        if (const Value* selector = stated_below(one, {"labelSelector"})) {
            core::expected(*selector, "no labelSelector in defaultConstraints", diagnostics);
        }
    }
}

void check_arguments(const Value& entry, Diagnostics& diagnostics) {
    const std::string name = text_below(entry, {"name"});
    const Value* const args = stated_below(entry, {"args"});
    const auto* const found =
        std::ranges::find(arguments, name, [](const auto& one) { return std::string(one.first); });
    if (args == nullptr || found == arguments.end()) {
        return;
    }
    check_keys(*args, *found->second, diagnostics);
    check_default_constraints(*args, diagnostics);
    if (const Value* added = stated_below(*args, {"addedAffinity"})) {
        check_keys(*added, keys_of_node_affinity(), diagnostics);
    }
}

}  // namespace

void check_configuration_keys(const Value& object, Diagnostics& diagnostics) {
    check_keys(object, configuration_keys, diagnostics);
    const Value* const profiles = stated_below(object, {"profiles"});
    for (std::size_t i = 0; profiles != nullptr && i < profiles->items.size(); ++i) {
        const Value* const list = stated_below(profiles->items[i], {"pluginConfig"});
        for (std::size_t j = 0; list != nullptr && j < list->items.size(); ++j) {
            check_arguments(list->items[j], diagnostics);
        }
    }
}

}  // namespace berth::experiments

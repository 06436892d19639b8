#include "schedulers/kube/documents/pod_keys.hpp"

#include <fmt/format.h>

#include <set>
#include <string>
#include <utility>

#include "experiments/program/config/document/value_below.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::Value;

constexpr const char* required_terms = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr const char* preferred_terms = "preferredDuringSchedulingIgnoredDuringExecution";
constexpr KnownKey weight_key{
    .name = "weight", .below = KnownKey::Below::whole_number, .least = 1, .most = 100};

constexpr KnownKeys condition_keys{"a condition",
                                   {needed({"key"}), needed({"operator"}), KnownKey{"values"}}};

constexpr KnownKeys label_selector_keys{
    "a selector of labels",
    {KnownKey{"matchLabels"}, key_of_list("matchExpressions", condition_keys)}};

constexpr KnownKeys node_term_keys{
    "a term",
    {key_of_list("matchExpressions", condition_keys), key_of_list("matchFields", condition_keys)}};

constexpr KnownKeys node_selector_keys{"required node affinity",
                                       {needed(key_of_list("nodeSelectorTerms", node_term_keys))}};

constexpr KnownKeys preferred_node_term_keys{
    "a preferred term", {needed(weight_key), needed(key_of_map("preference", node_term_keys))}};

constexpr KnownKeys node_affinity_keys{"nodeAffinity",
                                       {key_of_map(required_terms, node_selector_keys),
                                        key_of_list(preferred_terms, preferred_node_term_keys)}};

constexpr KnownKeys pod_term_keys{"a term of affinity between pods",
                                  {needed({"topologyKey"}),
                                   key_of_map("labelSelector", label_selector_keys),
                                   key_of_map("namespaceSelector", label_selector_keys),
                                   KnownKey{"namespaces"},
                                   KnownKey{"matchLabelKeys"},
                                   KnownKey{"mismatchLabelKeys"}}};

constexpr KnownKeys preferred_pod_term_keys{
    "a preferred term", {needed(weight_key), needed(key_of_map("podAffinityTerm", pod_term_keys))}};

constexpr KnownKeys between_pods(std::string_view what) {
    return {what,
            {key_of_list(required_terms, pod_term_keys),
             key_of_list(preferred_terms, preferred_pod_term_keys)}};
}
constexpr KnownKeys pod_affinity_keys = between_pods("podAffinity");
constexpr KnownKeys pod_anti_affinity_keys = between_pods("podAntiAffinity");

constexpr KnownKeys spread_constraint_keys{"an entry of topologySpreadConstraints",
                                           {needed({"maxSkew"}),
                                            needed({"topologyKey"}),
                                            needed({"whenUnsatisfiable"}),
                                            key_of_map("labelSelector", label_selector_keys),
                                            KnownKey{"matchLabelKeys"},
                                            KnownKey{"minDomains"},
                                            KnownKey{"nodeAffinityPolicy"},
                                            KnownKey{"nodeTaintsPolicy"}}};

constexpr KnownKeys claim_keys{
    "an entry of resourceClaims",
    {needed({"name"}), KnownKey{"resourceClaimName"}, KnownKey{"resourceClaimTemplateName"}}};

void check_claim_keys(const Value& list, Diagnostics& diagnostics) {
    const std::size_t errors = diagnostics.error_count();
    check_list(list, claim_keys, diagnostics);
    std::set<std::string> names;
    for (const Value& one : list.items) {
        if (diagnostics.error_count() > errors) {
            return;
        }
        if (text_below(one, {"resourceClaimName"}).empty() ==
            text_below(one, {"resourceClaimTemplateName"}).empty()) {
            core::expected(
                one, "resourceClaimName, or resourceClaimTemplateName, beside name", diagnostics);
        }
        if (!names.insert(text_below(one, {"name"})).second) {
            core::expected(one, "a name that no other of the pod's claims has", diagnostics);
        }
    }
}

}  // namespace

const KnownKeys& keys_of_node_affinity() {
    return node_affinity_keys;
}

void check_selector_keys(const Value* selector, Diagnostics& diagnostics) {
    if (selector != nullptr && selector->kind != Value::Kind::null) {
        check_keys(*selector, label_selector_keys, diagnostics);
    }
}

void check_spread_keys(const Value& list, Diagnostics& diagnostics) {
    check_list(list, spread_constraint_keys, diagnostics);
    std::set<std::pair<std::string, std::string>> pairs;
    for (const Value& one : list.items) {
        const std::string topology = text_below(one, {"topologyKey"});
        const std::string otherwise = text_below(one, {"whenUnsatisfiable"});
        const Value* const least = stated_below(one, {"minDomains"});
        if (least != nullptr && otherwise == "ScheduleAnyway") {
            core::expected(
                *least, "minDomains beside whenUnsatisfiable: DoNotSchedule alone", diagnostics);
        }
        if (!pairs.emplace(topology, otherwise).second) {
            diagnostics.error(
                one.span,
                fmt::format("a second constraint with topologyKey {} and whenUnsatisfiable {}: "
                            "expected one of both",
                            topology,
                            otherwise));
        }
    }
}

bool check_pod_keys(const Value& pod, Diagnostics& diagnostics) {
    const std::size_t errors = diagnostics.error_count();
    if (const Value* terms = stated_below(pod, {"spec", "affinity", "podAffinity"})) {
        check_keys(*terms, pod_affinity_keys, diagnostics);
    }
    if (const Value* terms = stated_below(pod, {"spec", "affinity", "podAntiAffinity"})) {
        check_keys(*terms, pod_anti_affinity_keys, diagnostics);
    }
    if (const Value* terms =
            stated_below(pod, {"spec", "affinity", "nodeAffinity", preferred_terms})) {
        check_list(*terms, preferred_node_term_keys, diagnostics);
    }
    if (const Value* list = stated_below(pod, {"spec", "topologySpreadConstraints"})) {
        check_spread_keys(*list, diagnostics);
    }
    if (const Value* list = stated_below(pod, {"spec", "resourceClaims"})) {
        check_claim_keys(*list, diagnostics);
    }
    return diagnostics.error_count() == errors;
}

}  // namespace berth::experiments

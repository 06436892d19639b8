/// Fields of Node objects that a run does not model.

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/source.hpp"
#include "core/support/value.hpp"
#include "experiments/program/config/cluster/node_objects.hpp"
#include "experiments/program/config/document/value_below.hpp"
#include "workloads/unmodelled/unmodelled_fields.hpp"

namespace berth::experiments {
namespace {

using core::Value;
using workloads::UnmodelledField;

constexpr auto fields = std::to_array<UnmodelledField>({
    {"metadata.deletionTimestamp"},
    {"metadata.annotations[node.koordinator.sh/reservation]"},
    {"metadata.annotations[node.koordinator.sh/cpu-normalization-ratio]", "!1|1.0|1.00"},
    {"metadata.annotations[node.koordinator.sh/resource-amplification-ratio]"},
    {"metadata.annotations[node.koordinator.sh/raw-allocatable]"},
    {"metadata.labels[node.koordinator.sh/cpu-bind-policy]", "!None"},
    {"metadata.labels[node.koordinator.sh/numa-allocate-strategy]"},
    {"metadata.labels[node.koordinator.sh/numa-topology-policy]", "!None"},
    {"metadata.labels[node.koordinator.sh/cpu-normalization-enabled]"},
    {"spec.podPreemptionPolicy"},
    {"spec.taints[].effect", "=PreferNoSchedule", "a taint PreferNoSchedule"},
});

/// Conditions that a cluster turns into taints. If a node has the taint, the taint counts instead.
constexpr auto conditions = std::to_array<UnmodelledField>({
    {"status.conditions", "", "DiskPressure"},
    {"status.conditions", "", "MemoryPressure"},
    {"status.conditions", "", "PIDPressure"},
    {"status.conditions", "", "NetworkUnavailable"},
});
constexpr std::array<std::string_view, conditions.size()> taint_keys{
    "node.kubernetes.io/disk-pressure",
    "node.kubernetes.io/memory-pressure",
    "node.kubernetes.io/pid-pressure",
    "node.kubernetes.io/network-unavailable"};

constexpr UnmodelledField declared_features{
    "status.declaredFeatures", "", "declaredFeatures that other nodes do not have"};

/// Whether some map in a list has both of these texts.
bool has_entry(const Value* list,
               std::string_view key,
               std::string_view text,
               std::string_view other_key,
               std::string_view other_text) {
    for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
        if (text_below(list->items[i], {key}) == text &&
            (other_key.empty() || text_below(list->items[i], {other_key}) == other_text)) {
            return true;
        }
    }
    return false;
}

void count_conditions(const Value& node, workloads::FieldCounts& counts) {
    const Value* told = value_below(node, {"status", "conditions"});
    const Value* taints = value_below(node, {"spec", "taints"});
    for (std::size_t i = 0; told != nullptr && i < conditions.size(); ++i) {
        if (has_entry(told, "type", conditions[i].words, "status", "True") &&
            !has_entry(taints, "key", taint_keys[i], "", "")) {
            counts.count(conditions[i]);
        }
    }
}

std::set<std::string> features_of(const Value& node) {
    std::set<std::string> features;
    const Value* list = value_below(node, {"status", "declaredFeatures"});
    for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
        features.insert(list->items[i].text);
    }
    return features;
}

/// Counts the nodes that have a feature which some other node lacks.
void count_features(const std::vector<const Value*>& nodes, workloads::FieldCounts& counts) {
    std::vector<std::set<std::string>> of_nodes;
    std::set<std::string> of_all;
    for (const Value* node : nodes) {
        of_nodes.push_back(features_of(*node));
        if (of_nodes.size() == 1) {
            of_all = of_nodes.front();
        }
        std::erase_if(of_all,
                      [&](const std::string& one) { return !of_nodes.back().contains(one); });
    }
    for (const std::set<std::string>& features : of_nodes) {
        if (features.size() > of_all.size()) {
            counts.count(declared_features);
        }
    }
}

}  // namespace

bool is_of_absence(std::string_view taint_key) {
    constexpr std::array<std::string_view, 3> keys{"node.kubernetes.io/not-ready",
                                                   "node.kubernetes.io/unreachable",
                                                   "node.kubernetes.io/unschedulable"};
    return std::ranges::find(keys, taint_key) != keys.end();
}

void warn_of_node_fields(const Value& topology, core::Diagnostics& diagnostics) {
    static const workloads::FieldTable table(fields);
    const std::vector<const Value*> nodes = node_objects(topology);
    workloads::FieldCounts counts;
    workloads::FoundFields found;
    for (const Value* node : nodes) {
        found.clear();
        table.find(*node, found);
        counts.count(found);
        count_conditions(*node, counts);
    }
    count_features(nodes, counts);
    for (const std::string& line : counts.lines("node")) {
        diagnostics.warning(topology.span, line);
    }
}

}  // namespace berth::experiments

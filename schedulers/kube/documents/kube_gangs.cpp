#include "schedulers/kube/documents/kube_gangs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::MapReader;
using core::Value;

/// Reads `schedulingPolicy`: how many pods of a group start together.
std::size_t read_policy(const Value& value, Diagnostics& diagnostics) {
    MapReader map(value, "the schedulingPolicy of a PodGroup", diagnostics);
    const Value* const gang = map.take("gang");
    const bool is_basic = map.take("basic") != nullptr;
    map.report_unknown_keys();
    if ((gang != nullptr) == is_basic) {
        core::expected(value, "{gang: {minCount: PODS}} or {basic: {}}", diagnostics);
    }
    if (gang == nullptr) {
        return 1;
    }
    MapReader counts(*gang, "the gang of a PodGroup", diagnostics);
    static_cast<void>(counts.need("minCount"));
    const std::int64_t pods = counts.integer("minCount", 1, 1, INT32_MAX);
    counts.report_unknown_keys();
    return static_cast<std::size_t>(pods);
}

/// Reads `schedulingConstraints`: the label of which all pods of a group are to have one value.
std::string read_constraints(const Value& value, Diagnostics& diagnostics) {
    MapReader map(value, "the schedulingConstraints of a PodGroup", diagnostics);
    const Value* const topology = map.take("topology");
    map.report_unknown_keys();
    if (topology == nullptr || (topology->is_list() && topology->items.empty())) {
        return "";
    }
    if (!topology->is_list() || topology->items.size() != 1) {
        core::expected(*topology, "one constraint, [{key: LABEL}]", diagnostics);
        return "";
    }
    MapReader constraint(
        topology->items.front(), "a constraint of a PodGroup's topology", diagnostics);
    static_cast<void>(constraint.need("key"));
    std::string key = constraint.text("key", "");
    constraint.report_unknown_keys();
    return key;
}

void read_spec(const Value& value,
               core::kube::SchedulerVersion version,
               sim::PodGroupObject& group,
               Diagnostics& diagnostics) {
    MapReader map(value, "the spec of a PodGroup", diagnostics);
    if (const Value* policy = map.need("schedulingPolicy")) {
        group.min_count = read_policy(*policy, diagnostics);
    }
    group.priority = map.integer("priority", 0, INT32_MIN, INT32_MAX);
    static_cast<void>(map.take("podGroupTemplateRef"));
    const Value* class_name = map.take("priorityClassName");
    if (class_name != nullptr && value.find("priority") == nullptr) {
        diagnostics.error(class_name->span,
                          "classes of PodGroups are not looked up: expected priority beside "
                          "priorityClassName, as kubectl prints it");
    }
    if (const Value* constraints = map.take("schedulingConstraints")) {
        group.topology_key = read_constraints(*constraints, diagnostics);
    }
    group.leaves_as_a_whole = map.choice("disruptionMode", {"Pod", "PodGroup"}, 0) == 1;
    if (group.leaves_as_a_whole && version >= core::kube::SchedulerVersion::v1_37) {
        diagnostics.error(map.span(),
                          "disruptionMode: PodGroup is not modelled for version 1.37, where single "
                          "pods preempt whole groups too: expected Pod, or version 1.36");
    }
    map.report_unknown_keys();
}

sim::PodGroupObject read_group(const Value& value,
                               core::kube::SchedulerVersion version,
                               Diagnostics& diagnostics) {
    sim::PodGroupObject group;
    MapReader map(value, "a PodGroup", diagnostics);
    const std::string api = map.text("apiVersion", "scheduling.k8s.io/v1alpha2");
    if (!api.starts_with("scheduling.k8s.io/")) {
        diagnostics.error(map.span(),
                          fmt::format("apiVersion {}: expected scheduling.k8s.io/v1alpha2", api));
    }
    static_cast<void>(map.choice("kind", {"PodGroup"}, 0));
    static_cast<void>(map.take("status"));
    if (const Value* metadata = map.need("metadata")) {
        MapReader names(*metadata, "the metadata of a PodGroup", diagnostics);
        static_cast<void>(names.need("name"));
        group.name = names.text("name", "");
        group.name_space = names.text("namespace", "");
    }
    if (const Value* spec = map.need("spec")) {
        read_spec(*spec, version, group, diagnostics);
    }
    map.report_unknown_keys();
    return group;
}

}  // namespace

sim::GangSettings read_gangs(const Value& value,
                             core::kube::SchedulerVersion version,
                             Diagnostics& diagnostics) {
    sim::GangSettings settings;
    MapReader map(value, "gangs", diagnostics);
    settings.preempts_as_a_whole =
        map.boolean("workloadAwarePreemption", version >= core::kube::SchedulerVersion::v1_37);
    if (const Value* groups = map.take("podGroups")) {
        if (!groups->is_list()) {
            core::expected(*groups, "a list of PodGroup objects", diagnostics);
        }
        for (const Value& one : groups->items) {
            sim::PodGroupObject group = read_group(one, version, diagnostics);
            if (std::ranges::any_of(settings.groups, [&](const sim::PodGroupObject& other) {
                    return other.name == group.name && other.name_space == group.name_space;
                })) {
                diagnostics.error(
                    one.span,
                    fmt::format("a second PodGroup {}: expected another name", group.name));
            }
            settings.groups.push_back(std::move(group));
        }
    }
    map.report_unknown_keys();
    return settings;
}

}  // namespace berth::experiments

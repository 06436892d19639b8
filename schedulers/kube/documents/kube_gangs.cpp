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

void read_spec(const Value& value, sim::PodGroupObject& group, Diagnostics& diagnostics) {
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
        diagnostics.error(constraints->span,
                          "schedulingConstraints, by which pods of a group go to one domain, are "
                          "not modelled: expected a PodGroup without them");
    }
    if (map.choice("disruptionMode", {"Pod", "PodGroup"}, 0) == 1) {
        diagnostics.error(map.span(),
                          "disruptionMode: PodGroup is not modelled: expected Pod, where pods of "
                          "the group are preempted one by one");
    }
    map.report_unknown_keys();
}

sim::PodGroupObject read_group(const Value& value, Diagnostics& diagnostics) {
    sim::PodGroupObject group;
    MapReader map(value, "a PodGroup", diagnostics);
    const std::string version = map.text("apiVersion", "scheduling.k8s.io/v1alpha2");
    if (!version.starts_with("scheduling.k8s.io/")) {
        diagnostics.error(
            map.span(), fmt::format("apiVersion {}: expected scheduling.k8s.io/v1alpha2", version));
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
        read_spec(*spec, group, diagnostics);
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
    const Value* const as_a_whole = map.take("workloadAwarePreemption");
    settings.preempts_as_a_whole = map.boolean("workloadAwarePreemption", false);
    if (version >= core::kube::SchedulerVersion::v1_37) {
        if (settings.preempts_as_a_whole) {
            diagnostics.error(as_a_whole->span,
                              "workloadAwarePreemption is not modelled for version 1.37: expected "
                              "version 1.36, or gangs that preempt nobody");
        } else {
            diagnostics.warning(value.span,
                                "gangs preempt nobody in version 1.37: there they preempt as a "
                                "whole, which is modelled for version 1.36 alone");
        }
    }
    if (const Value* groups = map.take("podGroups")) {
        if (!groups->is_list()) {
            core::expected(*groups, "a list of PodGroup objects", diagnostics);
        }
        for (const Value& one : groups->items) {
            sim::PodGroupObject group = read_group(one, diagnostics);
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

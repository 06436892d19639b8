#include "schedulers/kueue/documents/kueue_pods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/support/made_value.hpp"
#include "core/tree/level_of_label.hpp"
#include "experiments/program/config/document/object_fields.hpp"
#include "experiments/program/config/document/value_below.hpp"
#include "experiments/program/config/workload/pod_job.hpp"
#include "experiments/program/config/workload/pods_in_file.hpp"
#include "schedulers/kueue/trace/object_fields.hpp"
#include "workloads/unmodelled/pod_fields.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::Value;

constexpr std::string_view queue_of_pod_label = "kueue.x-k8s.io/queue-name";
constexpr std::string_view workload_annotation = "kueue.x-k8s.io/workload";
constexpr std::string_view group_of_pods_label = "kueue.x-k8s.io/pod-group-name";
constexpr std::string_view least_pods_label = "kueue.x-k8s.io/pod-group-total-count";
constexpr std::string_view role_of_pods_label = "kueue.x-k8s.io/pod-group-role";
constexpr std::string_view admission_gate = "kueue.x-k8s.io/admission";

constexpr std::string_view required_annotation = "kueue.x-k8s.io/podset-required-topology";
constexpr std::string_view preferred_annotation = "kueue.x-k8s.io/podset-preferred-topology";
constexpr std::string_view anywhere_annotation = "kueue.x-k8s.io/podset-unconstrained-topology";

constexpr std::int64_t pods_of_set_max = 10'000'000;

bool is_true_of(const Value& workload, std::string_view type) {
    const Value* conditions = value_below(workload, {"status", "conditions"});
    return conditions != nullptr &&
           std::ranges::any_of(conditions->items, [&](const Value& condition) {
               return text_below(condition, {"type"}) == type &&
                      text_below(condition, {"status"}) == "True";
           });
}

/// The name of the job that a Workload is about: its owner, or the Workload itself.
std::string job_of_workload(const Value& workload) {
    const Value* owners = value_below(workload, {"metadata", "ownerReferences"});
    std::string name = text_below(workload, {"metadata", "name"});
    if (owners != nullptr && owners->items.size() == 1) {  // a group of pods owns it together
        name = text_below(owners->items.front(), {"name"});
    }
    return name;
}

void put(Value& map, std::string_view key, Value value) {
    map.members.push_back({std::string(key), map.span, std::move(value)});
}

void put(Value& map, std::string_view key, std::string_view text) {
    put(map, key, core::text_value(text, map.span));
}

/// A pod of the set, as it will be once it exists.
Value pod_of_set(const Value& workload, const Value& set, bool only_set) {
    const std::string job = job_of_workload(workload);
    const std::string set_name = text_below(set, {"name"});
    Value labels = map_value(workload.span);
    put(labels, group_of_pods_label, job);
    put(labels, role_of_pods_label, set_name);
    if (const std::string least = text_below(set, {"minCount"}); !least.empty() && only_set) {
        put(labels, least_pods_label, least);
    }
    put(labels, queue_of_pod_label, text_below(workload, {"spec", "queueName"}));
    Value metadata = map_value(workload.span);
    put(metadata, "name", only_set ? job : fmt::format("{}-{}", job, set_name));
    put(metadata, "namespace", text_below(workload, {"metadata", "namespace"}));
    put(metadata, "labels", std::move(labels));
    if (const Value* owners = value_below(workload, {"metadata", "ownerReferences"})) {
        put(metadata, "ownerReferences", *owners);
    }
    const Value* of_pod = value_below(set, {"template", "metadata", "annotations"});
    Value annotations = of_pod != nullptr ? *of_pod : map_value(workload.span);
    for (const auto& [key, annotation] : {std::pair("required", required_annotation),
                                          std::pair("preferred", preferred_annotation),
                                          std::pair("unconstrained", anywhere_annotation)}) {
        const std::string asked = text_below(set, {"topologyRequest", key});
        if (!asked.empty()) {
            put(annotations, annotation, asked);
        }
    }
    put(metadata, "annotations", std::move(annotations));
    const Value* of_template = value_below(set, {"template", "spec"});
    Value spec = of_template != nullptr ? *of_template : map_value(workload.span);
    if (const Value* priority = value_below(workload, {"spec", "priority"})) {
        std::erase_if(spec.members, [](const auto& member) { return member.key == "priority"; });
        put(spec, "priority", *priority);
    }
    Value pod = map_value(workload.span);
    put(pod, "kind", "Pod");
    put(pod, "metadata", std::move(metadata));
    put(pod, "spec", std::move(spec));
    return pod;
}

bool is_stopped(const Value& workload) {
    return text_below(workload, {"spec", "active"}) == "false";
}

std::string pods_of(std::uint64_t pods) {
    return fmt::format("{} pod{}", pods, pods == 1 ? "" : "s");
}

bool waits_for_admission(const Value& workload) {
    return !is_true_of(workload, "Admitted") && !is_true_of(workload, "Finished") &&
           !is_stopped(workload);
}

std::vector<const Value*> workloads_of_kueue(const Value& document) {
    std::vector<const Value*> workloads = objects_of_kind(document, "Workload");
    std::erase_if(workloads, [](const Value* workload) {
        return !text_below(*workload, {"apiVersion"}).starts_with("kueue.x-k8s.io/") ||
               is_true_of(*workload, "Finished");
    });
    return workloads;
}

/// A Workload without its pods if it does not wait for quota: they are in the file.
Value trimmed_workload(const Value& workload) {
    Value out = picked(&workload, {"apiVersion", "kind", "metadata", "spec", "status"});
    if (Value* metadata = out.find("metadata")) {
        *metadata = picked(metadata, {"name", "namespace", "ownerReferences"});
    }
    if (Value* status = out.find("status")) {
        *status = picked(status, {"conditions"});
        Value* conditions = status->find("conditions");
        for (std::size_t i = 0; conditions != nullptr && i < conditions->items.size(); ++i) {
            conditions->items[i] = picked(&conditions->items[i], {"type", "status"});
        }
    }
    Value* spec = out.find("spec");
    if (spec == nullptr) {
        return out;
    }
    *spec = picked(spec, {"queueName", "priority", "active", "podSets"});
    if (!waits_for_admission(workload)) {
        *spec = picked(spec, {"queueName", "active"});
    }
    Value* sets = spec->find("podSets");
    for (std::size_t i = 0; sets != nullptr && i < sets->items.size(); ++i) {
        Value& set = sets->items[i];
        set = picked(&set, {"name", "count", "minCount", "template", "topologyRequest"});
        Value* of_template = set.find("template");
        Value* pod_spec = of_template != nullptr ? of_template->find("spec") : nullptr;
        if (pod_spec != nullptr) {
            const Value whole = *of_template;
            *of_template = picked(of_template, {"metadata", "spec"});
            if (Value* metadata = of_template->find("metadata")) {
                *metadata = picked(metadata, {"annotations"});
                Value* annotations = metadata->find("annotations");
                if (annotations != nullptr) {
                    std::erase_if(annotations->members, [](const core::Member& annotation) {
                        return !annotation.key.starts_with(gpu_share);
                    });
                }
            }
            trim_pod_spec(*of_template->find("spec"));
            workloads::pod_fields(workloads::PodReader::running).keep(whole, *of_template);
        }
    }
    if (waits_for_admission(workload)) {
        workloads::workload_fields(workloads::PodReader::running).keep(workload, out);
    }
    return out;
}

}  // namespace

std::vector<WaitingPods> pods_of_waiting_workloads(const Value& document,
                                                   Diagnostics& diagnostics) {
    std::vector<WaitingPods> out;
    for (const Value* workload : workloads_of_kueue(document)) {
        const Value* sets = value_below(*workload, {"spec", "podSets"});
        for (std::size_t i = 0;
             waits_for_admission(*workload) && sets != nullptr && i < sets->items.size();
             ++i) {
            const Value& set = sets->items[i];
            const Value* count = set.find("count");
            const core::Members pods =
                count != nullptr ? read_integer(*count, diagnostics, 0, pods_of_set_max).value_or(0)
                                 : 1;
            if (pods > 0) {
                out.push_back({pod_of_set(*workload, set, sets->items.size() == 1), pods});
            }
        }
    }
    return out;
}

std::vector<Value> trimmed_workloads(const Value& document) {
    std::vector<Value> out;
    for (const Value* workload : workloads_of_kueue(document)) {
        out.push_back(trimmed_workload(*workload));
    }
    return out;
}

void warn_of_waiting_workloads(const Value& document, Diagnostics& diagnostics) {
    ObjectFields fields(workloads::workload_fields(workloads::PodReader::running));
    std::vector<const Value*> stopped;
    for (const Value* workload : workloads_of_kueue(document)) {
        if (waits_for_admission(*workload)) {
            fields.look_at(*workload);
        } else if (is_stopped(*workload) && !is_true_of(*workload, "Admitted")) {
            stopped.push_back(workload);
        }
    }
    fields.warn("Workload", diagnostics);
    if (!stopped.empty()) {
        diagnostics.warning(stopped.front()->span,
                            fmt::format("{} Workload{} left out, which {} not active: Kueue does "
                                        "not offer {}",
                                        stopped.size(),
                                        stopped.size() == 1 ? " is" : "s are",
                                        stopped.size() == 1 ? "is" : "are",
                                        stopped.size() == 1 ? "it" : "them"));
    }
}

bool tells_queue_of_kueue(std::string_view key) {
    return key == queue_of_pod_label || key == workload_annotation || key == required_annotation ||
           key == preferred_annotation || key == anywhere_annotation;
}

KueuePods::KueuePods(const Value& document, const PodLabels& labels, Diagnostics& diagnostics)
    : labels_(labels), diagnostics_(diagnostics) {
    for (const Value* workload : workloads_of_kueue(document)) {
        const std::string name_space = text_below(*workload, {"metadata", "namespace"});
        const std::string queue = text_below(*workload, {"spec", "queueName"});
        of_workload_[{name_space, text_below(*workload, {"metadata", "name"})}] = queue;
        of_owner_[{name_space, job_of_workload(*workload)}] = queue;
        if (waits_for_admission(*workload)) {
            waiting_.insert({name_space, text_below(*workload, {"metadata", "name"})});
            waiting_.insert({name_space, job_of_workload(*workload)});
        }
    }
}

std::string KueuePods::told_queue(const Value& pod) const {
    const std::string name_space = text_below(pod, {"metadata", "namespace"});
    std::string queue = text_below(pod, {"metadata", "labels", queue_of_pod_label});
    if (queue.empty()) {
        const auto of = of_workload_.find(
            {name_space, text_below(pod, {"metadata", "annotations", workload_annotation})});
        queue = of != of_workload_.end() ? of->second : "";
    }
    if (queue.empty()) {
        const auto of = of_owner_.find({name_space, owner_name(pod)});
        queue = of != of_owner_.end() ? of->second : "";
    }
    return queue;
}

std::string KueuePods::queue_of(const Value& pod) {
    std::string queue = told_queue(pod);
    if (queue.empty()) {
        return queue;
    }
    const bool known =
        labels_.admission() != nullptr &&
        labels_.admission()->has_queue(text_below(pod, {"metadata", "namespace"}), queue);
    if (known) {
        return queue;
    }
    Counted& counted = labels_.admission() != nullptr ? unknown_ : without_kueue_;
    if (counted.pods++ == 0) {
        counted.first = pod.span;
        counted.example = queue;
    }
    return "";
}

bool KueuePods::waits_for_quota(const Value& pod) const {
    const Value* gates = value_below(pod, {"spec", "schedulingGates"});
    return gates != nullptr && !gates->items.empty() &&
           std::ranges::all_of(gates->items, [](const Value& gate) {
               return text_below(gate, {"name"}) == admission_gate;
           });
}

bool KueuePods::has_waiting_object(const Value& pod) const {
    const std::string name_space = text_below(pod, {"metadata", "namespace"});
    return waiting_.contains({name_space, text_below(pod, {"metadata", "name"})}) ||
           waiting_.contains(
               {name_space, text_below(pod, {"metadata", "labels", group_of_pods_label})});
}

std::optional<core::LevelConstraints> KueuePods::constraints_of(const Value& pod,
                                                                const core::Topology& tree) {
    if (labels_.admission() == nullptr || !labels_.levels()) {
        return std::nullopt;
    }
    core::LevelConstraints constraints(tree.level_count());
    core::LevelConstraint pack;
    if (text_below(pod, {"metadata", "annotations", anywhere_annotation}) == "true") {
        constraints.set(core::Level{0}, pack);
        return constraints;
    }
    pack.scope = core::Scope::group;
    for (const std::string_view key : {required_annotation, preferred_annotation}) {
        const std::string label = text_below(pod, {"metadata", "annotations", key});
        if (label.empty()) {
            continue;
        }
        pack.hard = key == required_annotation;
        if (const auto level = core::level_of_label(label, tree, *labels_.levels())) {
            constraints.set(*level, pack);
            return constraints;
        }
        if (unknown_labels_.insert(label).second) {
            diagnostics_.error(pod.span,
                               fmt::format("it asks for places in one '{}', which is no level of "
                                           "the cluster: expected a label that ends in the name of "
                                           "a level, or in scheduler.kueue, levels: {{{}: LEVEL}}",
                                           label,
                                           label));
        }
    }
    return std::nullopt;
}

void KueuePods::warn() {
    if (without_kueue_.pods > 0) {
        diagnostics_.warning(
            without_kueue_.first,
            fmt::format("{} in queues of Kueue, the first in '{}', and this run has no Kueue: no "
                        "quota of a queue limits them; expected scheduler: {{kueue: FILE}} with "
                        "its queues",
                        pods_of(without_kueue_.pods),
                        without_kueue_.example));
    }
    if (unknown_.pods > 0) {
        diagnostics_.warning(
            unknown_.first,
            fmt::format("{} in queues that are not among the objects of scheduler.kueue, the first "
                        "in '{}': they neither hold quota nor wait for it; expected their "
                        "LocalQueues there",
                        pods_of(unknown_.pods),
                        unknown_.example));
    }
}

}  // namespace berth::experiments

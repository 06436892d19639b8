#include "experiments/program/config/workload/pods_of_object.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/support/made_value.hpp"
#include "experiments/program/config/document/value_below.hpp"
#include "experiments/program/config/workload/pod_lifetimes.hpp"
#include "experiments/program/config/workload/pod_requests.hpp"
#include "experiments/program/config/workload/pods_in_file.hpp"
#include "workloads/unmodelled/pod_fields.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::Value;

constexpr std::array<std::string_view, 4> kinds{"Deployment", "ReplicaSet", "StatefulSet", "Job"};
constexpr std::int64_t pods_max = 10'000'000;

void put(Value& map, const std::string& key, Value value) {
    std::erase_if(map.members, [&](const core::Member& member) { return member.key == key; });
    const core::SourceSpan span = value.span;
    map.members.push_back({key, span, std::move(value)});
}

void put_text(Value& map, const std::string& key, const std::string& text) {
    put(map, key, core::text_value(text, map.span));
}

/// A map of labels in a map, which gets an empty one if it has none.
Value& labels_in(Value& map, const std::string& key) {
    const Value* known = map.find(key);
    if (known == nullptr || known->kind == Value::Kind::null) {
        put(map, key, map_value(map.span));
    }
    return *map.find(key);
}

std::int64_t number_below(const Value& spec,
                          const char* key,
                          std::int64_t otherwise,
                          Diagnostics& diagnostics) {
    const Value* value = spec.find(key);
    return value == nullptr || value->kind == Value::Kind::null
               ? otherwise
               : core::read_integer(*value, diagnostics, 0, pods_max).value_or(otherwise);
}

/// How many pods of the object run at once.
std::int64_t count_of(const std::string& kind, const Value& spec, Diagnostics& diagnostics) {
    if (kind != "Job") {
        return number_below(spec, "replicas", 1, diagnostics);
    }
    if (text_below(spec, {"suspend"}) == "true") {
        return 0;
    }
    const std::int64_t parallelism = number_below(spec, "parallelism", 1, diagnostics);
    const std::int64_t completions = number_below(spec, "completions", parallelism, diagnostics);
    return std::min(parallelism, completions);
}

/// Refuses pods that no scheduler looks at when they arrive.
void refuse_unscheduled(const Value& spec, Diagnostics& diagnostics) {
    if (const Value* node = value_below(spec, {"nodeName"});
        node != nullptr && !node->text.empty()) {
        diagnostics.error(node->span,
                          "nodeName in a template takes its pods past the scheduler: expected "
                          "nodeSelector, such as {kubernetes.io/hostname: NODE}");
    }
    if (const Value* gates = value_below(spec, {"schedulingGates"});
        gates != nullptr && !gates->items.empty()) {
        diagnostics.error(gates->span,
                          "schedulingGates in a template: no controller removes them in a run, and "
                          "its pods would never be scheduled: expected a template without gates");
    }
}

/// Adds to pods and to the selector of their controller what the controllers of a cluster add, and
/// tells the pods who controls them.
void add_controller(const Value& object, const std::string& kind, Value& metadata) {
    // Pods of a Deployment are those of a ReplicaSet, which selects its own by this label.
    constexpr const char* hash = "pod-template-hash";
    constexpr const char* revision = "berth";
    const std::string name = text_below(object, {"metadata", "name"});
    const bool is_job = kind == "Job";
    Value controller = map_value(object.span);
    put_text(controller, "apiVersion", is_job ? "batch/v1" : "apps/v1");
    put_text(controller, "kind", kind == "Deployment" ? "ReplicaSet" : kind);
    put_text(controller, "name", name);
    put_text(controller, "controller", "true");
    const Value* stated = value_below(object, {"spec", "selector"});
    Value selector = stated != nullptr ? *stated : map_value(object.span);
    if (kind == "Deployment") {
        put_text(labels_in(metadata, "labels"), hash, revision);
        put_text(labels_in(selector, "matchLabels"), hash, revision);
    }
    if (is_job) {
        put_text(labels_in(metadata, "labels"), "job-name", name);
        put_text(labels_in(metadata, "labels"), "batch.kubernetes.io/job-name", name);
    } else {
        put(controller, "selector", std::move(selector));
    }
    Value owners{Value::Kind::list, {}, {}, {}, object.span};
    owners.items.push_back(std::move(controller));
    put(metadata, "ownerReferences", std::move(owners));
}

}  // namespace

bool keeps_pods(std::string_view kind) {
    return std::ranges::find(kinds, kind) != kinds.end();
}

std::vector<const Value*> objects_with_pods(const Value& document) {
    if (keeps_pods(text_below(document, {"kind"}))) {
        return {&document};
    }
    std::vector<const Value*> objects;
    const Value* items = value_below(document, {"items"});
    for (std::size_t i = 0; items != nullptr && i < items->items.size(); ++i) {
        if (keeps_pods(text_below(items->items[i], {"kind"}))) {
            objects.push_back(&items->items[i]);
        }
    }
    return objects;
}

std::optional<PodsOfObject> pods_of_object(const Value& object,
                                           const std::string& name_space,
                                           Diagnostics& diagnostics) {
    const std::string kind = text_below(object, {"kind"});
    const Value* spec = value_below(object, {"spec"});
    const Value* template_spec = value_below(object, {"spec", "template", "spec"});
    if (!keeps_pods(kind)) {
        expected(
            object, "an object of kind Deployment, ReplicaSet, StatefulSet or Job", diagnostics);
        return std::nullopt;
    }
    if (text_below(object, {"metadata", "name"}).empty()) {
        diagnostics.error(object.span,
                          fmt::format("a {} without a name: expected metadata: "
                                      "{{name: ...}}",
                                      kind));
        return std::nullopt;
    }
    if (template_spec == nullptr || !template_spec->is_map()) {
        diagnostics.error(
            object.span,
            fmt::format("a {} without pods: expected spec: {{template: {{spec: ...}}}}", kind));
        return std::nullopt;
    }
    PodsOfObject read;
    const std::string name = text_below(object, {"metadata", "name"});
    read.name_space =
        name_space.empty() ? text_below(object, {"metadata", "namespace"}) : name_space;
    read.name = read.name_space.empty() ? name : fmt::format("{}/{}", read.name_space, name);
    read.count = count_of(kind, *spec, diagnostics);
    refuse_unscheduled(*template_spec, diagnostics);
    read.most = deadline_of(*template_spec, diagnostics);
    if (kind == "Job") {
        read.most = shorter(read.most, deadline_of(*spec, diagnostics));
    }
    Value metadata = picked(value_below(object, {"spec", "template", "metadata"}), {"labels"});
    metadata.kind = Value::Kind::map;
    metadata.span = object.span;
    if (!read.name_space.empty()) {
        put_text(metadata, "namespace", read.name_space);
    }
    add_controller(object, kind, metadata);
    read.pod = map_value(object.span);
    put(read.pod, "metadata", std::move(metadata));
    put(read.pod, "spec", *template_spec);
    return read;
}

void trim_object_with_pods(Value& object) {
    object = picked(&object, {"apiVersion", "kind", "metadata", "spec"});
    if (Value* metadata = object.find("metadata")) {
        *metadata = picked(metadata, {"name", "namespace"});
    }
    Value* spec = object.find("spec");
    if (spec == nullptr) {
        return;
    }
    *spec = picked(spec,
                   {"replicas",
                    "selector",
                    "template",
                    "parallelism",
                    "completions",
                    "suspend",
                    "activeDeadlineSeconds"});
    if (Value* pod = spec->find("template")) {
        const Value whole = *pod;
        *pod = picked(pod, {"metadata", "spec"});
        if (Value* metadata = pod->find("metadata")) {
            *metadata = picked(metadata, {"labels"});
        }
        if (Value* pod_spec = pod->find("spec")) {
            trim_pod_spec(*pod_spec);
            workloads::pod_fields(workloads::PodReader::running).keep(whole, *pod);
        }
    }
}

void add_resources_of_objects(const Value* sources, core::ResourceSchema& schema) {
    Diagnostics later;  // errors in a request are reported when the object is read
    for (std::size_t i = 0; sources != nullptr && i < sources->items.size(); ++i) {
        const Value* entries = value_below(sources->items[i], {"pods"});
        for (std::size_t j = 0; entries != nullptr && j < entries->items.size(); ++j) {
            const Value* document = value_below(entries->items[j], {"document"});
            if (document == nullptr) {
                continue;
            }
            for (const Value* object : objects_with_pods(*document)) {
                if (const Value* pod = value_below(*object, {"spec", "template"})) {
                    for (const auto& [resource, quantity] : pod_requests(*pod, later)) {
                        schema.add(resource);
                    }
                }
            }
        }
    }
}

}  // namespace berth::experiments

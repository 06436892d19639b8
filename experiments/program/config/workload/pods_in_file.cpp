#include "experiments/program/config/workload/pods_in_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/node_rules/object_metadata.hpp"
#include "experiments/program/config/document/scheduler_documents.hpp"
#include "experiments/program/config/document/value_below.hpp"
#include "experiments/program/config/quota/read_quota.hpp"
#include "experiments/program/config/workload/pod_job.hpp"
#include "workloads/trace/gpu_models.hpp"
#include "workloads/unmodelled/object_fields.hpp"
#include "workloads/unmodelled/pod_fields.hpp"

namespace berth::experiments {

using core::Amount;
using core::Diagnostics;
using core::Value;

Value picked(const Value* map, std::initializer_list<std::string_view> keys) {
    Value out;
    if (map == nullptr) {
        return out;
    }
    out.kind = map->kind;
    out.text = map->text;
    out.span = map->span;
    for (const core::Member& member : map->members) {
        if (member.value.kind != Value::Kind::null &&
            std::ranges::find(keys, member.key) != keys.end()) {
            out.members.push_back(member);
        }
    }
    return out;
}

namespace {

/// Keeps these keys of metadata, and keys that no metadata has, which its reader then refuses.
Value picked_metadata(const Value& metadata, std::initializer_list<std::string_view> keys) {
    Value out = picked(&metadata, {});
    for (const core::Member& member : metadata.members) {
        if (std::ranges::find(keys, member.key) != keys.end() ||
            !core::is_metadata_key(member.key)) {
            out.members.push_back(member);
        }
    }
    return out;
}

constexpr std::int64_t shared_gpus_max = 1'000'000;

void trim_containers(Value* list) {
    for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
        list->items[i] = picked(&list->items[i], {"name", "restartPolicy", "resources"});
        if (Value* resources = list->items[i].find("resources")) {
            *resources = picked(resources, {"requests", "limits", "claims"});
        }
    }
}

}  // namespace

void trim_pod_spec(Value& spec) {
    spec = picked(&spec,
                  {"nodeName",
                   "priority",
                   "containers",
                   "initContainers",
                   "resources",
                   "overhead",
                   "nodeSelector",
                   "affinity",
                   "tolerations",
                   "schedulingGates",
                   "resourceClaims",
                   "topologySpreadConstraints",
                   "workloadRef",
                   "priorityClassName",
                   "activeDeadlineSeconds",
                   "schedulingGroup"});
    trim_containers(spec.find("containers"));
    trim_containers(spec.find("initContainers"));
}

namespace {

/// Keeps what tells the result of resizes in place, and removes it from a pod that was never
/// resized.
void trim_status(Value& status, bool times) {
    status = picked(&status,
                    {"phase",
                     times ? "startTime" : "phase",
                     "resize",
                     "conditions",
                     "resources",
                     "allocatedResources",
                     "containerStatuses",
                     "initContainerStatuses"});
    for (const char* key : {"containerStatuses", "initContainerStatuses"}) {
        Value* list = status.find(key);
        for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
            list->items[i] = picked(&list->items[i], {"name", "resources", "allocatedResources"});
        }
        if (list != nullptr) {
            std::erase_if(list->items, [](const Value& one) { return one.members.size() < 2; });
        }
    }
    if (Value* conditions = status.find("conditions")) {
        std::erase_if(conditions->items, [](const Value& condition) {
            return text_below(condition, {"type"}) != "PodResizePending";
        });
        for (Value& condition : conditions->items) {
            condition = picked(&condition, {"type", "reason"});
        }
    }
    std::erase_if(status.members, [](const core::Member& member) {
        return member.value.is_list() && member.value.items.empty();
    });
}

/// Whether a label or an annotation of this name tells a scheduler something about the pod's queue.
bool tells_queue(std::string_view key) {
    return std::ranges::any_of(scheduler_documents(), [&](const SchedulerDocuments& scheduler) {
        return scheduler.tells_queue(key);
    });
}

/// A pod that has ended, reduced to its owner and how long it ran.
Value trimmed_ended_pod(const Value& pod) {
    Value out = picked(&pod, {"kind", "metadata", "status"});
    if (Value* metadata = out.find("metadata")) {
        *metadata = picked(metadata, {"creationTimestamp", "ownerReferences"});
    }
    Value* status = out.find("status");
    if (status == nullptr) {
        return out;
    }
    *status = picked(status, {"phase", "startTime", "containerStatuses"});
    Value* containers = status->find("containerStatuses");
    for (std::size_t i = 0; containers != nullptr && i < containers->items.size(); ++i) {
        Value& container = containers->items[i];
        container = picked(&container, {"state"});
        Value* state = container.find("state");
        Value* ended = state != nullptr ? state->find("terminated") : nullptr;
        if (ended != nullptr) {
            *ended = picked(ended, {"startedAt", "finishedAt"});
        }
    }
    return out;
}

Value trimmed_pod(const Value& pod, bool times, bool labels) {
    Value out = picked(&pod, {"kind", "metadata", "spec", "status"});
    if (Value* metadata = out.find("metadata")) {
        *metadata = picked_metadata(*metadata,
                                    {"name",
                                     "namespace",
                                     "labels",
                                     "annotations",
                                     "ownerReferences",
                                     times || !has_node(pod) ? "creationTimestamp" : "name"});
        if (Value* annotations = metadata->find("annotations")) {
            std::erase_if(annotations->members, [](const core::Member& annotation) {
                return !annotation.key.starts_with(gpu_share) && !tells_job(annotation.key) &&
                       !tells_queue(annotation.key);
            });
        }
        std::erase_if(metadata->members, [](const core::Member& member) {
            return member.key == "annotations" && member.value.members.empty();
        });
        if (Value* kept = metadata->find("labels"); kept != nullptr && !labels) {
            std::erase_if(kept->members, [](const core::Member& label) {
                return !label.key.starts_with(quota_domain) && !tells_job(label.key) &&
                       !tells_queue(label.key);
            });
        }
    }
    if (Value* spec = out.find("spec")) {
        trim_pod_spec(*spec);
    }
    if (Value* status = out.find("status")) {
        trim_status(*status, times);
    }
    workloads::pod_fields(workloads::PodReader::running).keep(pod, out);
    return out;
}

Value trimmed_pod_group(const Value& group) {
    Value out = picked(&group, {"kind", "metadata", "spec"});
    if (Value* metadata = out.find("metadata")) {
        *metadata = picked_metadata(*metadata, {"name", "namespace"});
    }
    if (Value* spec = out.find("spec")) {
        *spec = picked(spec, {"minMember", "schedulingPolicy"});
    }
    return out;
}

}  // namespace

std::vector<const Value*> objects_of_kind(const Value& document, std::string_view kind) {
    const std::string whole = text_below(document, {"kind"});
    if (whole == kind) {
        return {&document};
    }
    std::vector<const Value*> objects;
    const Value* items = document.find("items");
    for (std::size_t i = 0; items != nullptr && i < items->items.size(); ++i) {
        const Value& item = items->items[i];
        const Value* own = item.find("kind");
        if (own != nullptr ? own->text == kind : whole == fmt::format("{}List", kind)) {
            objects.push_back(&item);
        }
    }
    return objects;
}

bool has_ended(const Value& pod) {
    const std::string phase = text_below(pod, {"status", "phase"});
    return phase == "Succeeded" || phase == "Failed";
}

std::vector<const Value*> living_pods(const Value& document) {
    std::vector<const Value*> pods = objects_of_kind(document, "Pod");
    std::erase_if(pods, [](const Value* pod) { return has_ended(*pod); });
    return pods;
}

bool has_node(const Value& pod) {
    return !text_below(pod, {"spec", "nodeName"}).empty();
}

void order_pending_by_age(std::vector<const Value*>& pods) {
    const auto waits = [](const Value* pod) { return !has_node(*pod); };
    std::vector<const Value*> pending;
    std::ranges::copy_if(pods, std::back_inserter(pending), waits);
    std::ranges::stable_sort(pending, {}, [](const Value* pod) {
        return text_below(*pod, {"metadata", "creationTimestamp"});
    });
    auto next = pending.begin();
    for (const Value*& pod : pods) {
        pod = waits(pod) ? *next++ : pod;
    }
}

std::optional<core::GpuRequest> shared_gpus(const Value& pod, Diagnostics& diagnostics) {
    const auto number = [&](std::string_view what) -> std::optional<Amount> {
        const Value* value =
            value_below(pod, {"metadata", "annotations", fmt::format("{}{}", gpu_share, what)});
        return value == nullptr ? std::nullopt
                                : read_integer(*value, diagnostics, 0, shared_gpus_max);
    };
    const auto milli = number("milli");
    const auto count = number("count");
    core::GpuRequest gpus{std::min(milli.value_or(core::gpu_whole_milli), core::gpu_whole_milli),
                          count.value_or(milli ? 1 : 0),
                          {}};
    if (gpus.total_milli() == 0) {
        return std::nullopt;
    }
    if (gpus.count > 1 && gpus.milli < core::gpu_whole_milli) {
        diagnostics.error(pod.span,
                          "a share of several GPUs: expected a share of one, or whole GPUs");
    }
    workloads::split_models(
        text_below(pod, {"metadata", "annotations", fmt::format("{}card-model", gpu_share)}),
        gpus.models);
    return gpus;
}

Value trimmed_pods(const Value& document, bool times, bool labels) {
    if (text_below(document, {"kind"}) == "Pod") {
        return trimmed_pod(document, times, labels);
    }
    Value out = picked(&document, {"kind"});
    Value list;
    list.kind = Value::Kind::list;
    list.span = document.span;
    for (const Value* pod : living_pods(document)) {
        list.items.push_back(trimmed_pod(*pod, times, labels));
    }
    for (const Value* pod : objects_of_kind(document, "Pod")) {
        if (times && has_ended(*pod)) {
            list.items.push_back(trimmed_ended_pod(*pod));
        }
    }
    for (const Value* group : objects_of_kind(document, "PodGroup")) {
        list.items.push_back(trimmed_pod_group(*group));
    }
    for (const SchedulerDocuments& scheduler : scheduler_documents()) {
        std::ranges::move(scheduler.trimmed_waiting(document), std::back_inserter(list.items));
    }
    out.members.push_back({"items", document.span, std::move(list)});
    return out;
}

}  // namespace berth::experiments

#include "experiments/program/config/workload/pod_job.hpp"

#include <algorithm>
#include <array>

#include "experiments/program/config/document/value_below.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::Members;
using core::Value;

constexpr std::int64_t members_of_job_max = 10'000'000;

/// Labels and annotations that name a group whose pods start together: those of the Kubernetes
/// plug-in Coscheduling, Koordinator, Kueue, Volcano and KAI.
constexpr std::array<std::string_view, 8> group_keys{"scheduling.x-k8s.io/pod-group",
                                                     "pod-group.scheduling.sigs.k8s.io",
                                                     "pod-group.scheduling.sigs.k8s.io/name",
                                                     "gang.scheduling.koordinator.sh/name",
                                                     "kueue.x-k8s.io/pod-group-name",
                                                     "scheduling.k8s.io/group-name",
                                                     "scheduling.volcano.sh/group-name",
                                                     "pod-group-name"};
/// Labels and annotations that tell how many pods of such a group start together.
constexpr std::array<std::string_view, 3> min_keys{"pod-group.scheduling.sigs.k8s.io/min-available",
                                                   "gang.scheduling.koordinator.sh/min-available",
                                                   "kueue.x-k8s.io/pod-group-total-count"};

constexpr std::string_view leader_name = "leaderworkerset.sigs.k8s.io/name";
constexpr std::string_view leader_index = "leaderworkerset.sigs.k8s.io/group-index";

/// Labels that name a job, from the outermost job inwards.
constexpr std::array<std::string_view, 5> job_keys{"jobset.sigs.k8s.io/jobset-name",
                                                   "training.kubeflow.org/job-name",
                                                   "volcano.sh/job-name",
                                                   "batch.kubernetes.io/job-name",
                                                   "job-name"};
constexpr std::array<std::string_view, 4> role_keys{"training.kubeflow.org/replica-type",
                                                    "jobset.sigs.k8s.io/replicatedjob-name",
                                                    "volcano.sh/task-spec",
                                                    "kueue.x-k8s.io/pod-group-role"};

/// Kinds whose pods start one by one, however many there are.
constexpr std::array<std::string_view, 9> keepers{"CloneSet",
                                                  "DaemonSet",
                                                  "Deployment",
                                                  "Node",
                                                  "Pod",
                                                  "ReplicaSet",
                                                  "ReplicationController",
                                                  "StatefulSet",
                                                  "Workflow"};

/// The label or annotation of this name, or nullptr.
const Value* said_of(const Value& pod, std::string_view key) {
    const Value* label = value_below(pod, {"metadata", "labels", key});
    return label != nullptr ? label : value_below(pod, {"metadata", "annotations", key});
}

template <std::size_t count>
std::string first_said(const Value& pod, const std::array<std::string_view, count>& keys) {
    for (const std::string_view key : keys) {
        if (const Value* value = said_of(pod, key); value != nullptr && !value->text.empty()) {
            return value->text;
        }
    }
    return "";
}

/// The owner that controls the pod; a single owner always does.
const Value* controller_of(const Value& pod) {
    const Value* owners = value_below(pod, {"metadata", "ownerReferences"});
    if (owners == nullptr || owners->items.empty()) {
        return nullptr;
    }
    const auto found = std::ranges::find_if(owners->items, [](const Value& owner) {
        return text_below(owner, {"controller"}) == "true";
    });
    return found != owners->items.end() ? &*found
           : owners->items.size() == 1  ? &owners->items.front()
                                        : nullptr;
}

/// The group of a pod that names it in its spec, as in Kubernetes since version 1.35.
std::string group_in_spec(const Value& pod) {
    const std::string workload = text_below(pod, {"spec", "workloadRef", "name"});
    if (workload.empty()) {
        return text_below(pod, {"spec", "schedulingGroup", "podGroupName"});
    }
    std::string name = workload;
    for (const char* part : {"podGroup", "podGroupReplicaKey"}) {
        const std::string text = text_below(pod, {"spec", "workloadRef", part});
        name += text.empty() ? "" : "-" + text;
    }
    return name;
}

std::string name_of_job(const Value& pod) {
    if (const std::string set = first_said(pod, std::array{leader_name}); !set.empty()) {
        return set + "-" + first_said(pod, std::array{leader_index});
    }
    if (std::string name = first_said(pod, job_keys); !name.empty()) {
        return name;
    }
    const Value* owner = controller_of(pod);
    return owner == nullptr || std::ranges::count(keepers, text_below(*owner, {"kind"})) > 0
               ? ""
               : text_below(*owner, {"name"});
}

}  // namespace

std::optional<PodJob> job_of_pod(const Value& pod, Diagnostics& diagnostics) {
    PodJob job;
    job.name = first_said(pod, group_keys);
    job.name = job.name.empty() ? group_in_spec(pod) : job.name;
    job.is_gang = !job.name.empty();
    for (const std::string_view key : min_keys) {
        if (const Value* min = said_of(pod, key); min != nullptr && job.is_gang && job.min == 0) {
            job.min = read_integer(*min, diagnostics, 1, members_of_job_max).value_or(1);
        }
    }
    job.name = job.is_gang ? job.name : name_of_job(pod);
    if (job.name.empty()) {
        return std::nullopt;
    }
    job.name = name_in_namespace(pod, job.name);
    return job;
}

bool tells_job(std::string_view key) {
    const auto among = [key](const auto& keys) { return std::ranges::count(keys, key) > 0; };
    return among(group_keys) || among(min_keys) || among(job_keys) || among(role_keys) ||
           key == leader_name || key == leader_index;
}

std::string owner_kind(const Value& pod) {
    const Value* owner = controller_of(pod);
    return owner != nullptr ? text_below(*owner, {"kind"}) : "";
}

std::string owner_name(const Value& pod) {
    const Value* owner = controller_of(pod);
    return owner != nullptr ? text_below(*owner, {"name"}) : "";
}

std::string role_of_pod(const Value& pod) {
    return first_said(pod, role_keys);
}

std::string name_in_namespace(const Value& object, std::string_view name) {
    const std::string name_space = text_below(object, {"metadata", "namespace"});
    return name_space.empty() ? std::string(name) : name_space + "/" + std::string(name);
}

std::optional<Members> min_of_pod_group(const Value& pod_group, Diagnostics& diagnostics) {
    const Value* min = value_below(pod_group, {"spec", "minMember"});
    min = min != nullptr ? min
                         : value_below(pod_group, {"spec", "schedulingPolicy", "gang", "minCount"});
    return min != nullptr ? read_integer(*min, diagnostics, 1, members_of_job_max) : std::nullopt;
}

}  // namespace berth::experiments

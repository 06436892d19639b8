#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "experiments/program/config/cluster/node_objects.hpp"
#include "experiments/program/config/cluster/read_node_list.hpp"
#include "experiments/program/config/document/scheduler_documents.hpp"
#include "experiments/program/config/document/value_below.hpp"
#include "experiments/program/config/experiment_spec.hpp"
#include "schedulers/kube/documents/configuration_keys.hpp"
#include "schedulers/kube/documents/kube_gangs.hpp"
#include "schedulers/kube/documents/kube_objects.hpp"
#include "schedulers/kube/documents/objects_of_run.hpp"
#include "schedulers/kube/documents/pod_keys.hpp"
#include "schedulers/kube/documents/read_object.hpp"
#include "schedulers/kube/run/kube_objects_of_run.hpp"
#include "topologies/kubernetes_nodes.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::MapReader;
using core::Value;

constexpr std::string_view group = "kubescheduler.config.k8s.io/";

bool is_configuration(const Value& document) {
    return document.is_map() && text_below(document, {"apiVersion"}).starts_with(group);
}

KubeProfile read_configuration(const Value& object, Diagnostics& diagnostics) {
    KubeProfile profile;
    if (text_below(object, {"apiVersion"}) != fmt::format("{}v1", group) ||
        text_below(object, {"kind"}) != "KubeSchedulerConfiguration") {
        diagnostics.error(object.span,
                          "an object that does not configure kube-scheduler: expected kind: "
                          "KubeSchedulerConfiguration of kubescheduler.config.k8s.io/v1");
        return profile;
    }
    const std::size_t errors = diagnostics.error_count();
    check_configuration_keys(object, diagnostics);
    if (diagnostics.error_count() > errors) {
        return profile;
    }
    read_object(object, diagnostics, [&](const RequestField& field) {
        profile = read_kube_profile(field);
    });
    if (profile.extenders > 0) {
        diagnostics.warning(object.span,
                            fmt::format("{} extender(s): they are not asked", profile.extenders));
    }
    if (profile.more_profiles > 0) {
        diagnostics.warning(object.span,
                            fmt::format("{} profile(s) after the first one: a run has one profile",
                                        profile.more_profiles));
    }
    if (profile.plugins_without_effect > 0) {
        diagnostics.warning(
            object.span,
            fmt::format("{} plugin(s) that are disabled, enabled without a weight, or of no effect "
                        "here: the default plugins run, with the weights and arguments that are "
                        "given for them",
                        profile.plugins_without_effect));
    }
    return profile;
}

/// Takes what the Node objects of a cluster say into the nodes that were made of its tree, and puts
/// them in the order in which they were created.
void take_objects(const Value& topology,
                  std::vector<sim::KubeNode>& nodes,
                  Diagnostics& diagnostics) {
    std::map<std::string, std::size_t> position;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        position.emplace(nodes[i].node.name, i);
    }
    std::vector<sim::KubeNode> ordered;
    std::vector<bool> taken(nodes.size());
    const auto take = [&](const Value& object, const std::string& name) {
        const auto found = position.find(name);
        if (found == position.end() || taken[found->second]) {
            return;
        }
        read_object(object, diagnostics, [&](const RequestField& field) {
            core::kube::Node node = read_kube_node(field);
            node.name = name;
            for (const auto& [key, place] : nodes[found->second].node.labels) {
                if (place != topologies::place_of_unlabelled) {
                    node.labels.emplace(key, place);
                }
            }
            // Nodes that take no pods are left out of the run, until an event brings them back.
            node.is_unschedulable = false;
            std::erase_if(node.taints, [](const auto& taint) { return is_of_absence(taint.key); });
            node.allocatable.insert(nodes[found->second].node.allocatable.begin(),
                                    nodes[found->second].node.allocatable.end());
            ordered.push_back({std::move(node), nodes[found->second].server});
            taken[found->second] = true;
        });
    };
    for (const Value* object : node_objects(topology)) {
        take(*object, text_below(*object, {"metadata", "name"}));
    }
    if (const Value* add = value_below(topology, {"nodes", "add"})) {
        Diagnostics told_already;  // with the topology
        const Value& document = *value_below(topology, {"nodes", "document"});
        for (const auto& copies : read_added_nodes(*add, document, told_already)) {
            for (const std::string& name : copies.names) {
                take(copies.node, name);
            }
        }
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!taken[i]) {
            ordered.push_back(std::move(nodes[i]));
        }
    }
    nodes = std::move(ordered);
}

std::shared_ptr<const sim::SchedulerSettings> read_kube(const Value& value,
                                                        const Value& topology,
                                                        const core::Topology& tree,
                                                        Diagnostics& diagnostics) {
    auto settings = std::make_shared<sim::KubeSettings>();
    MapReader map(value, "kube", diagnostics);
    const Value* configuration = map.take("config");
    const Value* objects = map.take("objects");
    const std::size_t version = map.choice("version", {"1.36", "1.37"}, 0);
    const Value* gangs = map.take("gangs");
    map.report_unknown_keys();
    if (configuration != nullptr) {
        const bool is_list = configuration->is_list() && configuration->items.size() == 1;
        KubeProfile profile = read_configuration(
            is_list ? configuration->items.front() : *configuration, diagnostics);
        settings->configuration = std::move(profile.configuration);
        settings->initial_backoff = std::chrono::seconds(profile.initial_backoff_seconds);
        settings->longest_backoff = std::chrono::seconds(profile.longest_backoff_seconds);
    }
    settings->configuration.version = static_cast<core::kube::SchedulerVersion>(version);
    if (gangs != nullptr) {
        settings->gangs = read_gangs(*gangs, settings->configuration.version, diagnostics);
    }
    settings->nodes = sim::nodes_of(tree);
    take_objects(topology, settings->nodes, diagnostics);
    if (objects != nullptr) {
        settings->objects = read_objects_of_run(*objects, diagnostics);
    }
    return settings;
}

/// The set that controls a pod, if the reference to it has its selector.
std::optional<core::kube::PodOwner> read_controller(const RequestField& metadata,
                                                    const core::kube::Pod& pod) {
    using Kind = core::kube::PodOwner::Kind;
    for (const RequestField& owner : metadata["ownerReferences"].items()) {
        if (const RequestField selector = owner["selector"]; selector.is_present()) {
            const bool is_stateful = owner["kind"].text() == "StatefulSet";
            return core::kube::PodOwner{is_stateful ? Kind::stateful_set : Kind::replica_set,
                                        owner["name"].text(),
                                        pod.name_space,
                                        read_label_selector(selector)};
        }
    }
    return std::nullopt;
}

/// Adds the conditions of a term's `matchLabelKeys` and `mismatchLabelKeys` to its selector, as an
/// API server does when a pod comes to be.
void merge_label_keys(const Value& labels, Value& term) {
    using Keys = std::pair<const char*, const char*>;
    for (const auto& [keys, op] :
         {Keys("matchLabelKeys", "In"), Keys("mismatchLabelKeys", "NotIn")}) {
        const Value* const names = value_below(term, {keys});
        Value* const selector = term.is_map() ? term.find("labelSelector") : nullptr;
        for (std::size_t i = 0; names != nullptr && selector != nullptr && i < names->items.size();
             ++i) {
            const Value& name = names->items[i];
            const Value* const label = labels.find(name.text);
            if (label == nullptr || !selector->is_map()) {
                continue;
            }
            Value condition{Value::Kind::map, {}, {}, {}, name.span};
            condition.members.push_back({"key", name.span, name});
            condition.members.push_back(
                {"operator", name.span, {Value::Kind::scalar, op, {}, {}, name.span}});
            condition.members.push_back(
                {"values", name.span, {Value::Kind::list, {}, {*label}, {}, name.span}});
            if (selector->find("matchExpressions") == nullptr) {
                selector->members.push_back(
                    {"matchExpressions", name.span, {Value::Kind::list, {}, {}, {}, name.span}});
            }
            selector->find("matchExpressions")->items.push_back(std::move(condition));
        }
    }
}

void merge_label_keys(Value& pod) {
    const Value* const found = value_below(pod, {"metadata", "labels"});
    Value* const spec = pod.find("spec");
    Value* const affinity = spec != nullptr && spec->is_map() ? spec->find("affinity") : nullptr;
    if (found == nullptr || affinity == nullptr || !found->is_map() || !affinity->is_map()) {
        return;
    }
    const Value labels = *found;
    for (core::Member& kind : affinity->members) {
        for (core::Member& list : kind.value.members) {
            for (Value& entry : list.value.items) {
                Value* const weighted = entry.is_map() ? entry.find("podAffinityTerm") : nullptr;
                merge_label_keys(labels, weighted != nullptr ? *weighted : entry);
            }
        }
    }
}

/// Reads a pod, which is in the namespace `default` unless it says otherwise.
std::shared_ptr<const sim::PodTemplate> read_template(const Value& pod, Diagnostics& diagnostics) {
    if (!check_pod_keys(pod, diagnostics)) {
        return nullptr;
    }
    Value complete = pod;
    Value& metadata = *complete.find("metadata");
    if (text_below(metadata, {"namespace"}).empty()) {
        std::erase_if(metadata.members, [](const auto& one) { return one.key == "namespace"; });
        metadata.members.push_back(
            {"namespace", pod.span, {Value::Kind::scalar, "default", {}, {}, pod.span}});
    }
    merge_label_keys(complete);
    std::shared_ptr<const sim::PodTemplate> read;
    read_object(complete, diagnostics, [&](const RequestField& field) {
        auto made = std::make_shared<sim::KubePodTemplate>(read_kube_pod(field));
        made->controller = read_controller(field["metadata"], made->pod);
        for (const RequestField& claim : field["spec"]["resourceClaims"].items()) {
            made->pod.claims.push_back({claim["name"].text(),
                                        claim["resourceClaimName"].text_or(""),
                                        claim["resourceClaimTemplateName"].text_or("")});
        }
        read = std::move(made);
    });
    return read;
}

bool knows_devices(const sim::SchedulerSettings& settings) {
    return dynamic_cast<const sim::KubeSettings&>(settings).objects.devices != nullptr;
}

std::optional<PodPriority> priority_of(const sim::SchedulerSettings& settings,
                                       std::string_view class_name) {
    const auto& classes = dynamic_cast<const sim::KubeSettings&>(settings).objects.priority_classes;
    auto found = classes.find(class_name);
    for (auto one = classes.begin(); class_name.empty() && one != classes.end(); ++one) {
        // Of several defaults, the lowest counts, as in Kubernetes.
        if (one->second.is_default &&
            (found == classes.end() || one->second.value < found->second.value)) {
            found = one;
        }
    }
    return found == classes.end()
               ? std::nullopt
               : std::optional(PodPriority{found->second.value, found->second.never_preempts});
}

bool asks_for_part_of_gpu(const sim::Job& job, const core::ResourceSchema& schema) {
    for (std::size_t resource = 0; resource < job.demand.size(); ++resource) {
        if (schema.is_gpu(resource) && job.demand[resource] % schema.per_unit(resource) != 0) {
            return true;
        }
    }
    return false;
}

bool has_constraints(const sim::Job& job, const core::Topology& tree) {
    for (std::uint32_t level = 0; job.constraints && level < tree.level_count(); ++level) {
        if (job.constraints->stated(core::Level{level})) {
            return true;
        }
    }
    return false;
}

/// Checks PodGroups that pods name.
class GroupCheck {
public:
    GroupCheck(const ExperimentSpec& spec, const core::SourceSpan& span, Diagnostics& diagnostics)
        : schema_(spec.topology->resources()), span_(span), diagnostics_(diagnostics) {
        const auto* kube = dynamic_cast<const sim::KubeSettings*>(spec.settings.scheduler.get());
        if (kube != nullptr && kube->gangs) {
            groups_.emplace(kube->gangs->groups);
        }
    }

    /// Returns whether the run has the PodGroup of a job's pods, if they name one.
    bool look(const sim::Job& job) {
        const core::kube::Pod pod = job.nodes != nullptr ? sim::pod_of(job, schema_) : none;
        if (!pod.pod_group.empty() && !groups_) {
            without_gangs_ = job.name;
        }
        if (pod.pod_group.empty() || !groups_ || groups_->has_named(pod)) {
            return true;
        }
        diagnostics_.error(
            span_,
            fmt::format("{} names the PodGroup {}, which is not in its namespace: expected it in "
                        "podGroups of gangs",
                        job.name,
                        pod.pod_group));
        return false;
    }
    void warn() const {
        if (!without_gangs_.empty()) {
            diagnostics_.warning(
                span_,
                fmt::format("{} names a PodGroup, which has no effect: expected gangs, with the "
                            "PodGroup in podGroups",
                            without_gangs_));
        }
    }

private:
    static inline const core::kube::Pod none;
    const core::ResourceSchema& schema_;
    const core::SourceSpan& span_;
    Diagnostics& diagnostics_;
    std::optional<sim::PodGroups> groups_;
    std::string without_gangs_;
};

/// kube-scheduler knows whole resources of nodes, and no groups.
void refuse_what_kube_scheduler_does_not_have(const ExperimentSpec& spec,
                                              const core::SourceSpan& span,
                                              Diagnostics& diagnostics) {
    const auto refuse = [&](const std::string& what, std::string_view instead) {
        diagnostics.error(
            span,
            fmt::format("{}, which kube-scheduler does not know: expected {}", what, instead));
    };
    if (!spec.settings.drains.empty()) {
        refuse("the run has drains", "failures with known times, or no drains");
    }
    bool protects = false;
    GroupCheck groups(spec, span, diagnostics);
    const auto look = [&](const sim::Job& job) {
        protects = protects || !job.preemptible;
        if (asks_for_part_of_gpu(job, spec.topology->resources())) {
            refuse(job.name + " asks for a part of a GPU", "whole GPUs");
        } else if (job.per_server_max > 0) {
            refuse(job.name + " belongs to an application with a limit of pods on a server",
                   "no such limit");
        } else if (has_constraints(job, *spec.topology)) {
            refuse(job.name + " has constraints of a placement group", "a group without them");
        } else {
            return !groups.look(job);
        }
        return true;
    };
    for (const WorkloadSource& source : spec.workload) {
        const auto* file = std::get_if<TraceFile>(&source.what);
        if (file != nullptr && file->trace.scan.shares) {
            refuse(source.name + " asks for shares of GPUs", "whole GPUs");
        }
        if (const auto* list = std::get_if<JobList>(&source.what)) {
            static_cast<void>(std::ranges::any_of(list->jobs, look));
        }
        if (const auto* renewal = std::get_if<workloads::Renewal>(&source.what)) {
            static_cast<void>(
                std::ranges::any_of(renewal->mix, look, &workloads::Renewal::Template::job));
        }
    }
    groups.warn();
    if (protects) {
        diagnostics.warning(
            span,
            "preemptible: false has no effect: kube-scheduler preempts every pod of "
            "a lower priority; expected a higher priority");
    }
}

}  // namespace

extern constinit const SchedulerDocuments kube_documents;
constinit const SchedulerDocuments kube_documents{
    .key = "kube",
    .file_key = "config",
    .cluster_key = "objects",
    .group = group,
    .example = "{kube: {}}, or {kube: {config: FILE}} with a KubeSchedulerConfiguration",
    .no_object = "found no configuration: expected kind: KubeSchedulerConfiguration",
    .schema = R"({
 "kube": {
  "title": "kube",
  "description": "kube-scheduler decides, as it does with its default plugins.",
  "type": "object",
  "properties": {
   "config": {
    "anyOf": [{"$ref": "#/$defs/path"}, {"$ref": "#/$defs/object"}],
    "description": "A KubeSchedulerConfiguration, or its file; by default that of Kubernetes."
   },
   "objects": {
    "anyOf": [
     {"$ref": "#/$defs/path"},
     {"$ref": "#/$defs/object"},
     {
      "type": "array",
      "items": {"anyOf": [{"$ref": "#/$defs/path"}, {"$ref": "#/$defs/object"}]}
     }
    ],
    "description": "Services, PodDisruptionBudgets, ResourceSlices, ...: a file, or a list of them."
   },
   "version": {
    "enum": ["1.36", "1.37", 1.36, 1.37],
    "description": "The version of Kubernetes; by default 1.36."
   },
   "gangs": {"$ref": "#/$defs/kubeGangs"}
  },
  "additionalProperties": false
 },
 "kubeGangs": {
  "title": "gangs",
  "description": "Pods of a group start together: each job of several pods is a PodGroup.",
  "type": "object",
  "properties": {
   "podGroups": {
    "type": "array",
    "items": {"$ref": "#/$defs/object"},
    "description": "PodGroup objects, which pods of several jobs may name in schedulingGroup."
   },
   "workloadAwarePreemption": {
    "type": "boolean",
    "description": "Whether others are preempted for a group as a whole; by default true in 1.37."
   }
  },
  "additionalProperties": false
 }
})",
    .holds_objects = &is_configuration,
    .check_objects =
        [](const std::vector<Value>& documents, Diagnostics& diagnostics) {
            for (const Value& document : documents) {
                static_cast<void>(read_configuration(document, diagnostics));
            }
        },
    .trim_cluster_object = &trim_object_of_run,
    .read_scheduler = &read_kube,
    .read_pod = &read_template,
    .priority_of = &priority_of,
    .knows_devices = &knows_devices,
    .check_experiment = &refuse_what_kube_scheduler_does_not_have};

}  // namespace berth::experiments

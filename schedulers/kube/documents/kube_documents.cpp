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
#include "experiments/program/config/document/value_json.hpp"
#include "experiments/program/config/experiment_spec.hpp"
#include "schedulers/kube/documents/kube_gangs.hpp"
#include "schedulers/kube/documents/kube_objects.hpp"
#include "schedulers/kube/run/kube_objects_of_run.hpp"

namespace berth::experiments {
namespace {

using core::Diagnostics;
using core::MapReader;
using core::Value;

constexpr std::string_view group = "kubescheduler.config.k8s.io/";

bool is_configuration(const Value& document) {
    return document.is_map() && text_below(document, {"apiVersion"}).starts_with(group);
}

/// Reads an object with one of the functions for requests.
/// Errors: recorded at the place that the function refuses.
template <class Read>
void read_object(const Value& object, Diagnostics& diagnostics, Read read) {
    const Json json = json_of(object);
    try {
        read(RequestField(json, Scalars::texts));
    } catch (const RequestError& error) {
        const std::string message = error.what();
        std::string_view place = message;  // it is `PLACE is ...`, or `no PLACE: ...`
        place.remove_prefix(place.starts_with("no ") ? 3 : 0);
        place = place.substr(0, place.find_first_of(" :"));
        diagnostics.error(value_at(object, place).span, message);
    }
}

/// kube-scheduler refuses a configuration with a key that it does not know.
void refuse_unknown_keys(const Value& object, Diagnostics& diagnostics) {
    MapReader map(object, "a KubeSchedulerConfiguration", diagnostics);
    for (const char* key : {"apiVersion",
                            "kind",
                            "parallelism",
                            "leaderElection",
                            "clientConnection",
                            "healthzBindAddress",
                            "metricsBindAddress",
                            "enableProfiling",
                            "enableContentionProfiling",
                            "percentageOfNodesToScore",
                            "podInitialBackoffSeconds",
                            "podMaxBackoffSeconds",
                            "profiles",
                            "extenders",
                            "delayCacheUntilActive"}) {
        static_cast<void>(map.take(key));
    }
    map.report_unknown_keys();
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
    refuse_unknown_keys(object, diagnostics);
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
            node.labels.insert(nodes[found->second].node.labels.begin(),
                               nodes[found->second].node.labels.end());
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
    return settings;
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
    "description": "Whether others are preempted for a group as a whole; by default false."
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
    .read_scheduler = &read_kube,
    .read_pod = [](const Value& pod,
                   Diagnostics& diagnostics) -> std::shared_ptr<const sim::PodTemplate> {
        std::shared_ptr<const sim::PodTemplate> read;
        read_object(pod, diagnostics, [&](const RequestField& field) {
            read = std::make_shared<const sim::KubePodTemplate>(read_kube_pod(field));
        });
        return read;
    },
    .check_experiment = &refuse_what_kube_scheduler_does_not_have};

}  // namespace berth::experiments

#include "schedulers/kube/documents/kube_objects.hpp"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "core/node_rules/labels.hpp"
#include "experiments/program/support/node_rule_fields.hpp"
#include "workloads/trace/numbers.hpp"

namespace berth::experiments {
namespace {

namespace kube = core::kube;

constexpr const char* required = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr const char* preferred = "preferredDuringSchedulingIgnoredDuringExecution";

/// Reads the selector of a Service or of a ReplicationController, which is a map of labels.
kube::LabelSelector read_label_map(const RequestField& field) {
    if (!field.is_present()) {
        return {};
    }
    std::vector<core::LabelExpression> conditions;
    for (const auto& [key, value] : field.labels()) {
        conditions.push_back({key, core::LabelExpression::Operator::in, {value}});
    }
    return kube::LabelSelector(std::move(conditions));
}

std::string read_name(const RequestField& object) {
    return object["metadata"]["name"].text();
}

std::string read_namespace(const RequestField& object) {
    return object["metadata"]["namespace"].text_or("");
}

kube::Container read_container(const RequestField& field) {
    kube::Container read;
    read.name = field["name"].text_or("");
    read.image = field["image"].text_or("");
    read.requests = read_quantities(field["resources"]["requests"]);
    read.is_sidecar = field["restartPolicy"].text_or("") == "Always";
    const auto or_else = [](std::string text, const char* otherwise) {
        return text.empty() ? std::string(otherwise) : text;
    };
    for (const RequestField& port : field["ports"].items()) {
        read.ports.push_back({or_else(port["hostIP"].text_or(""), "0.0.0.0"),
                              or_else(port["protocol"].text_or(""), "TCP"),
                              port["hostPort"].whole_or(0, 0, UINT16_MAX)});
    }
    return read;
}

std::vector<kube::Container> read_containers(const RequestField& list) {
    std::vector<kube::Container> read;
    for (const RequestField& field : list.items()) {
        read.push_back(read_container(field));
    }
    return read;
}

void read_node_rules(const RequestField& spec, kube::Pod& pod) {
    if (const RequestField selector = spec["nodeSelector"]; selector.is_present()) {
        pod.node_selector = selector.labels();
    }
    pod.tolerations = read_tolerations(spec["tolerations"]);
    // kube-scheduler compares numbers only behind a feature gate, which is off.
    std::erase_if(pod.tolerations, [](const core::Toleration& toleration) {
        return toleration.op == core::Toleration::Operator::less ||
               toleration.op == core::Toleration::Operator::greater;
    });
    const RequestField affinity = spec["affinity"]["nodeAffinity"];
    if (const RequestField terms = affinity[required]; terms.is_present()) {
        pod.required_nodes = read_node_terms(terms);
    }
    if (const RequestField terms = affinity[preferred]; terms.is_present()) {
        pod.preferred_nodes = read_preferred_nodes(terms);
    }
}

kube::PodTerm read_pod_term(const RequestField& field, const kube::Pod& owner) {
    kube::PodTerm read;
    read.topology_key = field["topologyKey"].text_or("");
    read.pods = read_label_selector(field["labelSelector"]);
    for (std::string& name : field["namespaces"].texts()) {
        read.namespaces.insert(std::move(name));
    }
    const RequestField selector = field["namespaceSelector"];
    read.namespace_selector = read_label_selector(selector);
    if (read.namespaces.empty() && !selector.is_present()) {
        read.namespaces.insert(owner.name_space);
    }
    return read;
}

void read_pod_terms(const RequestField& field,
                    const kube::Pod& owner,
                    std::vector<kube::PodTerm>& hard,
                    std::vector<kube::PreferredPodTerm>& soft) {
    for (const RequestField& term : field[required].items()) {
        hard.push_back(read_pod_term(term, owner));
    }
    for (const RequestField& term : field[preferred].items()) {
        soft.push_back({read_pod_term(term["podAffinityTerm"], owner),
                        term["weight"].whole(INT32_MIN, INT32_MAX)});
    }
}

void read_pod_affinity(const RequestField& spec, kube::Pod& pod) {
    const RequestField affinity = spec["affinity"];
    read_pod_terms(affinity["podAffinity"], pod, pod.required_affinity, pod.preferred_affinity);
    read_pod_terms(
        affinity["podAntiAffinity"], pod, pod.required_anti_affinity, pod.preferred_anti_affinity);
}

void read_spec(const RequestField& spec, kube::Pod& pod) {
    pod.priority = spec["priority"].whole_or(0, INT32_MIN, INT32_MAX);
    pod.never_preempts = spec["preemptionPolicy"].text_or("") == "Never";
    pod.node_name = spec["nodeName"].text_or("");
    pod.pod_group = spec["schedulingGroup"]["podGroupName"].text_or("");
    pod.containers = read_containers(spec["containers"]);
    pod.init_containers = read_containers(spec["initContainers"]);
    pod.overhead = read_quantities(spec["overhead"]);
    if (const RequestField requests = spec["resources"]["requests"]; requests.is_present()) {
        pod.pod_level_requests = read_quantities(requests);
    }
    for (const RequestField& volume : spec["volumes"].items()) {
        if (const RequestField image = volume["image"]; image.is_present()) {
            pod.image_volumes.push_back(image["reference"].text_or(""));
        }
    }
    read_node_rules(spec, pod);
    read_pod_affinity(spec, pod);
    pod.spread = read_spread_constraints(spec["topologySpreadConstraints"], pod.labels);
}

void read_status(const RequestField& status, kube::Pod& pod) {
    pod.nominated_node = status["nominatedNodeName"].text_or("");
    if (const RequestField start = status["startTime"]; start.is_present()) {
        const auto time = workloads::parse_date_time(start.text());
        if (!time) {
            start.fail("a date and time such as 2026-01-31T23:59:59Z");
        }
        pod.start_time = time->count();
    }
    for (const RequestField& condition : status["conditions"].items()) {
        const std::string type = condition["type"].text();
        if (type == "PodResizePending") {
            pod.resize_is_infeasible = condition["reason"].text_or("") == "Infeasible";
        } else if (type == "DisruptionTarget") {
            pod.leaves_by_preemption = pod.is_terminating &&
                                       condition["status"].text_or("") == "True" &&
                                       condition["reason"].text_or("") == "PreemptionByScheduler";
        }
    }
    for (const char* list : {"containerStatuses", "initContainerStatuses"}) {
        for (const RequestField& container : status[list].items()) {
            const auto read = [](const RequestField& field) {
                return field.is_present() ? std::optional(read_quantities(field)) : std::nullopt;
            };
            const RequestField resources = container["resources"];
            if (resources.is_present() || container["allocatedResources"].is_present()) {
                pod.statuses[container["name"].text()] = {resources.is_present(),
                                                          read(resources["requests"]),
                                                          read(container["allocatedResources"])};
            }
        }
    }
}

kube::PodOwner read_owner(const RequestField& field, kube::PodOwner::Kind kind) {
    const RequestField selector = field["spec"]["selector"];
    const bool is_map = kind == kube::PodOwner::Kind::service ||
                        kind == kube::PodOwner::Kind::replication_controller;
    return {kind,
            read_name(field),
            read_namespace(field),
            is_map ? read_label_map(selector) : read_label_selector(selector)};
}

kube::DisruptionBudget read_budget(const RequestField& field) {
    kube::DisruptionBudget read;
    read.name_space = read_namespace(field);
    read.pods = read_label_selector(field["spec"]["selector"]);
    read.allowed = field["status"]["disruptionsAllowed"].whole_or(0, INT32_MIN, INT32_MAX);
    for (const auto& [name, time] : field["status"]["disruptedPods"].entries()) {
        read.disrupted.insert(name);
    }
    return read;
}

}  // namespace

/// Kubernetes refuses a selector that no label can match by its form.
kube::LabelSelector read_label_selector(const RequestField& field) {
    if (!field.is_present()) {
        return {};
    }
    core::NodeSelectorTerm term;
    for (const auto& [key, value] : field["matchLabels"].labels()) {
        term.expressions.push_back({key, core::LabelExpression::Operator::in, {value}});
    }
    for (core::LabelExpression& expression : read_expressions(field["matchExpressions"])) {
        term.expressions.push_back(std::move(expression));
    }
    if (const std::string fault = why_invalid(term); !fault.empty()) {
        field.fail(fmt::format("a selector of labels ({})", fault));
    }
    return kube::LabelSelector(std::move(term.expressions));
}

core::Quantity read_quantity(const RequestField& field) {
    const std::string text =
        field.value().is_whole() ? fmt::format("{}", field.whole(INT64_MIN)) : field.text();
    const auto parsed = core::parse_exact_quantity(text);
    if (const auto* fault = std::get_if<core::QuantityFault>(&parsed)) {
        field.fail(core::describe(*fault, "units"));
    }
    if (std::get<core::Quantity>(parsed) < 0) {
        field.fail("at least 0");
    }
    return std::get<core::Quantity>(parsed);
}

core::Quantities read_quantities(const RequestField& field) {
    core::Quantities read;
    for (const auto& [name, quantity] : field.entries()) {
        read[name] = read_quantity(quantity);
    }
    return read;
}

kube::NodeTerms read_node_terms(const RequestField& selector) {
    kube::NodeTerms read;
    for (const RequestField& term : selector["nodeSelectorTerms"].items()) {
        read.emplace_back().conditions = read_node_selector_term(term);
        read.back().fault = why_invalid(read.back().conditions);
    }
    return read;
}

std::vector<kube::PreferredNodeTerm> read_preferred_nodes(const RequestField& list) {
    std::vector<kube::PreferredNodeTerm> read;
    for (const RequestField& field : list.items()) {
        kube::PreferredNodeTerm& term = read.emplace_back();
        term.weight = field["weight"].whole(INT32_MIN, INT32_MAX);
        term.term.conditions = read_node_selector_term(field["preference"]);
        term.term.fault = why_invalid(term.term.conditions);
    }
    return read;
}

std::vector<kube::SpreadConstraint> read_spread_constraints(const RequestField& list,
                                                            const core::Labels& labels) {
    std::vector<kube::SpreadConstraint> read;
    for (const RequestField& field : list.items()) {
        const auto is = [&](const char* key, const char* value, const char* otherwise) {
            const RequestField policy = field[key];
            return policy.is_present() ? policy.choice({value, otherwise}) == 0 : true;
        };
        kube::SpreadConstraint& constraint = read.emplace_back();
        constraint.topology_key = field["topologyKey"].text();
        constraint.max_skew = field["maxSkew"].whole(1, INT32_MAX);
        constraint.min_domains = field["minDomains"].whole_or(1, 1, INT32_MAX);
        constraint.is_hard = is("whenUnsatisfiable", "DoNotSchedule", "ScheduleAnyway");
        constraint.honors_affinity = is("nodeAffinityPolicy", "Honor", "Ignore");
        constraint.honors_taints = !is("nodeTaintsPolicy", "Ignore", "Honor");
        constraint.pods = read_label_selector(field["labelSelector"]);
        if (constraint.pods.matches_nothing()) {
            continue;
        }
        std::vector<core::LabelExpression> conditions = constraint.pods.conditions();
        for (const std::string& key : field["matchLabelKeys"].texts()) {
            if (const auto label = labels.find(key); label != labels.end()) {
                conditions.push_back({key, core::LabelExpression::Operator::in, {label->second}});
            }
        }
        constraint.pods = kube::LabelSelector(std::move(conditions));
    }
    return read;
}

kube::Pod read_kube_pod(const RequestField& field) {
    kube::Pod read;
    const RequestField metadata = field["metadata"];
    read.name = metadata["name"].text();
    read.name_space = read_namespace(field);
    read.uid = metadata["uid"].text_or("");
    if (read.uid.empty()) {
        read.uid = fmt::format("{}/{}", read.name_space, read.name);
    }
    read.labels = metadata["labels"].labels();
    read.is_terminating = metadata["deletionTimestamp"].is_present();
    for (const RequestField& owner : metadata["ownerReferences"].items()) {
        if (owner["controller"].boolean_or(false)) {
            read.controller = {
                owner["apiVersion"].text_or(""), owner["kind"].text_or(""), owner["name"].text()};
            break;
        }
    }
    read_spec(field["spec"], read);
    read_status(field["status"], read);
    return read;
}

kube::Node read_kube_node(const RequestField& field) {
    kube::Node read;
    read.name = read_name(field);
    read.labels = field["metadata"]["labels"].labels();
    read.taints = read_taints(field["spec"]["taints"]);
    constexpr std::int64_t largest_image = std::int64_t{1} << 44U;
    read.is_unschedulable = field["spec"]["unschedulable"].boolean_or(false);
    read.allocatable = read_quantities(field["status"]["allocatable"]);
    for (const RequestField& image : field["status"]["images"].items()) {
        read.images.push_back(
            {image["names"].texts(), image["sizeBytes"].whole_or(0, 0, largest_image)});
    }
    return read;
}

bool KubeObjects::add(std::string_view kind, const RequestField& object) {
    using Kind = kube::PodOwner::Kind;
    static const std::map<std::string, Kind, std::less<>> owners{
        {"Service", Kind::service},
        {"ReplicationController", Kind::replication_controller},
        {"ReplicaSet", Kind::replica_set},
        {"StatefulSet", Kind::stateful_set}};
    if (kind == "Node") {
        read_.nodes.push_back(read_kube_node(object));
        if (!node_names_.insert(read_.nodes.back().name).second) {
            object["metadata"]["name"].fail("a name that no other node has");
        }
    } else if (kind == "Namespace") {
        read_.namespaces[read_name(object)] = object["metadata"]["labels"].labels();
    } else if (kind == "PodDisruptionBudget") {
        read_.budgets.push_back(read_budget(object));
    } else if (const auto owner = owners.find(kind); owner != owners.end()) {
        read_.owners.push_back(read_owner(object, owner->second));
    } else {
        return false;
    }
    return true;
}

kube::ClusterObjects read_kube_cluster(const RequestField& request) {
    KubeObjects objects;
    objects.read().configuration = read_kube_configuration(request["config"]);
    constexpr std::array<std::pair<const char*, const char*>, 7> lists{
        {{"nodes", "Node"},
         {"namespaces", "Namespace"},
         {"services", "Service"},
         {"replicationcontrollers", "ReplicationController"},
         {"replicasets", "ReplicaSet"},
         {"statefulsets", "StatefulSet"},
         {"pdbs", "PodDisruptionBudget"}}};
    for (const auto& [key, kind] : lists) {
        for (const RequestField& object : request[key].items()) {
            static_cast<void>(objects.add(kind, object));
        }
    }
    for (const RequestField& pod : request["pods"].items()) {
        objects.read().pods.push_back(read_kube_pod(pod));
    }
    for (const RequestField& pod : request["nominated"].items()) {
        objects.read().nominated.push_back(read_kube_pod(pod));
    }
    return std::move(objects.read());
}

}  // namespace berth::experiments

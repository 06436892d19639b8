#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "core/topology_aware/topology_assigner.hpp"
#include "experiments/program/requests/kueue.hpp"
#include "experiments/program/requests/kueue_cluster.hpp"
#include "experiments/program/requests/kueue_fields.hpp"

namespace berth::experiments {
namespace {

namespace kueue = core::kueue;

kueue::TopologyAssignment read_assignment(const RequestField& field) {
    kueue::TopologyAssignment read;
    read.levels = field["levels"].texts();
    for (const RequestField& domain : field["domains"].items()) {
        std::vector<std::string> values = domain["values"].texts();
        if (values.empty()) {
            domain["values"].fail("at least one value");
        }
        read.domains.push_back({std::move(values), domain["count"].whole(0, INT32_MAX)});
    }
    return read;
}

kueue::TopologyWorkload read_workload(const RequestField& field) {
    kueue::TopologyWorkload read;
    read.uid = field["uid"].text_or("");
    read.owned_by_single_pod = field["ownedBySinglePod"].boolean_or(false);
    read.unhealthy_nodes = field["unhealthyNodes"].texts();
    for (const auto& [name, assignment] : field["admission"].entries()) {
        read.admission.emplace_back(name, read_assignment(assignment));
    }
    return read;
}

kueue::TopologyRequest read_request(const RequestField& field) {
    kueue::TopologyRequest read;
    if (const RequestField required = field["required"]; required.is_present()) {
        read.required = required.text();
    }
    if (const RequestField preferred = field["preferred"]; preferred.is_present()) {
        read.preferred = preferred.text();
    }
    read.unconstrained = field["unconstrained"].boolean_or(false);
    for (const RequestField& layer : field["constraints"].items()) {
        // A size of 0 is one that is not given; the answer says so of the outermost layer.
        read.layers.push_back({layer["topology"].text(),
                               layer["size"].whole_or(0, read.layers.empty() ? 0 : 1, INT32_MAX)});
    }
    const RequestField slices = field["sliceTopology"];
    if (read.layers.empty() && slices.is_present()) {
        read.layers = {{slices.text(), field["sliceSize"].whole_or(0, 0, INT32_MAX)}};
    }
    return read;
}

std::vector<kueue::NodeSelectorTerm> read_terms(const RequestField& list) {
    std::vector<kueue::NodeSelectorTerm> read;
    for (const RequestField& term : list.items()) {
        read.push_back(read_node_selector_term(term));
    }
    return read;
}

kueue::TopologyPodSet read_pod_set(const RequestField& field,
                                   const core::ResourceSchema& resources) {
    kueue::TopologyPodSet read;
    read.name = field["name"].text();
    read.count = field["count"].whole(0, INT32_MAX);
    read.requests = read_kueue_amounts(field["requests"], resources);
    add_kueue_pods(read.requests, resources, 1);
    if (const RequestField group = field["group"]; group.is_present()) {
        read.group = group.text();
    }
    read.implied = field["implied"].boolean_or(false);
    read.request = read_request(field["topologyRequest"]);
    read.tolerations = read_tolerations(field["tolerations"]);
    read.node_selector = field["nodeSelector"].labels();
    if (const RequestField affinity = field["requiredAffinity"]; affinity.is_present()) {
        read.required_affinity = read_terms(affinity);
    }
    for (const RequestField& preferred : field["preferredAffinity"].items()) {
        read.preferred_affinity.push_back({preferred["weight"].whole_or(0, INT32_MIN, INT32_MAX),
                                           read_node_selector_term(preferred["term"])});
    }
    for (const RequestField& update : field["podSetUpdates"].items()) {
        read.updates.push_back(
            {update["nodeSelector"].labels(), read_tolerations(update["tolerations"])});
    }
    const RequestField previous = field["previousAssignment"];
    if (previous.is_present() && !previous.entries().empty()) {
        read.previous = read_assignment(previous);
    }
    return read;
}

Json assignment_of(const kueue::PodSetPlacement& placement) {
    if (!placement.assignment) {
        return {{"assignment", nullptr}, {"reason", placement.reason}};
    }
    Json domains = Json::array();
    for (const kueue::TopologyAssignment::Domain& domain : placement.assignment->domains) {
        domains.push_back({{"values", domain.values}, {"count", domain.count}});
    }
    return {
        {"assignment", {{"levels", placement.assignment->levels}, {"domains", std::move(domains)}}},
        {"reason", ""}};
}

}  // namespace

Json answer_kueue_topology(const Json& json) {
    const RequestField request(json);
    const KueueCluster cluster = read_kueue_cluster(request);
    const kueue::TopologySnapshot snapshot(cluster.spec, cluster.ledger.get());
    const kueue::TopologyWorkload workload = read_workload(request["workload"]);
    std::vector<kueue::TopologyPodSet> sets;
    for (const RequestField& field : request["podSets"].items()) {
        sets.push_back(read_pod_set(field, cluster.resources));
    }
    kueue::CountedShapes shapes(snapshot);
    kueue::TopologyAssigner assigner(shapes, workload, request["simulateEmpty"].boolean_or(false));
    Json assignments = Json::object();
    for (const kueue::PodSetPlacement& placement : assigner.assign(sets)) {
        assignments[placement.name] = assignment_of(placement);
    }
    return {{"assignments", std::move(assignments)}};
}

}  // namespace berth::experiments

#include <fmt/format.h>
#include <Eigen/Core>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/ledger/ledger.hpp"
#include "core/tree/topology.hpp"
#include "experiments/program/support/request_field.hpp"
#include "schedulers/kueue/decide/amounts.hpp"
#include "schedulers/kueue/decide/topology_aware/domain_tree.hpp"
#include "schedulers/kueue/decide/topology_aware/topology_assigner.hpp"
#include "schedulers/kueue/decide/topology_aware/topology_snapshot.hpp"
#include "schedulers/kueue/requests/kueue.hpp"
#include "schedulers/kueue/requests/kueue_fields.hpp"

namespace berth::experiments {
namespace {

namespace kueue = core::kueue;
using kueue::FeatureGate;
using Amounts = std::vector<core::Amount>;
using Path = kueue::DomainPath;

/// The nodes in a request of kind `topology-assignment`, as a tree with amounts.
struct KueueCluster {
    core::ResourceSchema resources;  ///< Sorted by name; one of them is `pods`.
    core::kueue::TopologySnapshot::Spec spec;
    std::unique_ptr<core::Ledger> ledger;  ///< nullptr if no node is in the topology.
};

/// All resources that anything in a request has or requests, sorted by name.
core::ResourceSchema read_resources(const RequestField& request) {
    std::set<std::string> names{"pods"};
    const auto add = [&](const RequestField& amounts) {
        for (const auto& [name, amount] : amounts.entries()) {
            names.insert(name);
        }
    };
    for (const RequestField& node : request["nodes"].items()) {
        add(node["allocatable"]);
    }
    for (const char* list : {"nonTASPods", "usage", "siblingUsage", "podSets"}) {
        for (const RequestField& item : request[list].items()) {
            add(item["requests"]);
        }
    }
    for (const auto& [domain, amounts] : request["aggregatedUsage"].entries()) {
        add(amounts);
    }
    core::ResourceSchema resources;
    for (const std::string& name : names) {
        resources.add(name);
    }
    return resources;
}

/// Reads amounts by the schema, which has all resources that the request names.
Amounts read_kueue_amounts(const RequestField& field, const core::ResourceSchema& resources) {
    Amounts amounts(resources.size());
    for (const auto& [name, value] : field.entries()) {
        core::Amount& amount = amounts[*resources.find(name)];
        amount = read_kueue_amount(value, name);
        if (amount < 0) {
            value.fail("at least 0");
        }
    }
    return amounts;
}

/// Adds the number of pods to the amounts, because each node has a maximum number of pods.
void add_kueue_pods(Amounts& amounts, const core::ResourceSchema& resources, std::int64_t pods) {
    core::Amount& sum = amounts[*resources.find("pods")];
    sum = kueue::plus(sum, pods);
}

/// Builds a tree from the nodes of a request. Its leaves are the domains of the lowest level.
class ClusterReader {
public:
    explicit ClusterReader(const RequestField& request)
        : request_(request), resources_(read_resources(request)) {}

    KueueCluster read() {
        read_topology();
        for (const RequestField& node : request_["nodes"].items()) {
            read_node(node);
        }
        read_usage();
        if (!leaves_.empty()) {
            build();
        }
        return {std::move(resources_), std::move(spec_), std::move(ledger_)};
    }

private:
    struct Leaf {
        Amounts capacity;
        Amounts taken;  ///< Used by pods that are not placed by topology.
        Amounts held;   ///< Used by pods that are placed by topology.
        kueue::NodeProperties node;
    };

    void read_topology() {
        spec_.name = request_["topologyName"].text_or("default");
        (void)request_["levels"].value();
        spec_.levels = request_["levels"].texts();
        const std::set<std::string> distinct(spec_.levels.begin(), spec_.levels.end());
        if (spec_.levels.empty() || spec_.levels.size() > 16 ||
            distinct.size() < spec_.levels.size()) {
            request_["levels"].fail("1 to 16 labels that differ");
        }
        has_nodes_ = spec_.levels.back() == kueue::TopologySnapshot::hostname;
        spec_.gates = read_feature_gates(request_["gates"]);
        spec_.tolerations = read_tolerations(request_["flavor"]["tolerations"]);
        flavor_labels_ = request_["flavor"]["nodeLabels"].labels();
    }

    /// The values of a node's levels; nothing for a node that is not in the topology.
    std::optional<Path> path_of(const RequestField& node, const core::Labels& labels) const {
        if (node["unschedulable"].boolean_or(false) || !node["ready"].boolean_or(true)) {
            return std::nullopt;
        }
        const auto lacks = [&](const auto& wanted) {
            const auto label = labels.find(wanted.first);
            return label == labels.end() || label->second != wanted.second;
        };
        if (std::ranges::any_of(flavor_labels_, lacks)) {
            return std::nullopt;
        }
        Path path;
        for (const std::string& level : spec_.levels) {
            const auto label = labels.find(level);
            if (label == labels.end()) {
                return std::nullopt;
            }
            path.push_back(label->second);
        }
        return path;
    }

    void read_node(const RequestField& field) {
        kueue::NodeProperties node{
            field["name"].text(), field["labels"].labels(), read_taints(field["taints"])};
        const Amounts allocatable = read_kueue_amounts(field["allocatable"], resources_);
        auto path = path_of(field, node.labels);
        if (!path) {
            return;
        }
        const std::string id =
            kueue::TopologySnapshot::joined(has_nodes_ ? Path{path->back()} : *path);
        // Nodes with the same host name are one leaf, in the place of the first of them.
        const Path& where = paths_.try_emplace(id, std::move(*path)).first->second;
        by_node_.insert_or_assign(node.name, where);
        const auto [leaf, fresh] = leaves_.try_emplace(where);
        if (fresh) {
            const Amounts nothing(resources_.size());
            leaf->second = {nothing, nothing, nothing, std::move(node)};
        }
        add(leaf->second.capacity, allocatable, 1);
    }

    static void add(Amounts& sums, const Amounts& amounts, std::int64_t count) {
        for (std::size_t i = 0; i < sums.size(); ++i) {
            sums[i] = kueue::plus(sums[i], kueue::times(amounts[i], count));
        }
    }

    /// Adds what is held on a domain; an amount on a domain that does not exist is ignored.
    void hold(const std::string& id, const Amounts& amounts, std::int64_t count) {
        const auto path = paths_.find(id);
        if (path != paths_.end()) {
            add(leaves_.at(path->second).held, amounts, count);
        }
    }

    void read_usage() {
        const bool shares_nodes = has_nodes_ && spec_.gates[FeatureGate::overlapping_flavors];
        for (const auto& [id, field] : request_["aggregatedUsage"].entries()) {
            const Amounts amounts = read_kueue_amounts(field, resources_);
            if (shares_nodes) {
                hold(id, amounts, 1);
            }
        }
        for (const char* list : {"usage", "siblingUsage"}) {
            for (const RequestField& field : request_[list].items()) {
                Amounts amounts = read_kueue_amounts(field["requests"], resources_);
                add_kueue_pods(amounts, resources_, 1);
                const std::int64_t count = field["count"].whole(0, INT32_MAX);
                const std::string id = kueue::TopologySnapshot::joined(field["values"].texts());
                if (shares_nodes || std::string_view(list) == "usage") {
                    hold(id, amounts, count);
                }
            }
        }
        for (const RequestField& field : request_["nonTASPods"].items()) {
            Amounts amounts = read_kueue_amounts(field["requests"], resources_);
            add_kueue_pods(amounts, resources_, 1);
            const std::string phase = field["phase"].text_or("");
            const auto path = by_node_.find(field["node"].text_or(""));
            if (phase != "Failed" && phase != "Succeeded" && path != by_node_.end()) {
                add(leaves_.at(path->second).taken, amounts, 1);
            }
        }
    }

    /// Builds the tree level by level, with siblings sorted by their values, and the ledger over
    /// it.
    void build() {
        std::vector<kueue::DomainPath> paths;
        std::vector<std::uint32_t> type_of_leaf;
        for (const auto& [path, leaf] : leaves_) {
            paths.push_back(path);
            type_of_leaf.push_back(machine_type(leaf.capacity));
        }
        ledger_ = std::make_unique<core::Ledger>(
            std::make_shared<const core::Topology>(kueue::make_domain_tree(
                resources_, spec_.levels, paths, std::move(types_), type_of_leaf)));
        std::uint32_t index = 0;
        auto held = std::make_shared<kueue::HeldAmounts>();
        for (auto& [path, leaf] : leaves_) {
            const core::ServerId server{index++};
            Amounts taken = leaf.taken;
            add(taken, leaf.held, 1);
            ledger_->occupy(server, taken);
            const auto holds = [](core::Amount amount) { return amount != 0; };
            if (std::ranges::any_of(leaf.held, holds)) {
                held->emplace(server, std::move(leaf.held));
            }
            if (has_nodes_) {
                spec_.nodes.push_back(std::move(leaf.node));
            }
        }
        spec_.held = std::move(held);
    }

    std::uint32_t machine_type(const Amounts& capacity) {
        const auto [known, fresh] =
            machine_types_.try_emplace(capacity, static_cast<std::uint32_t>(types_.size()));
        if (fresh) {
            core::MachineType& type = types_.emplace_back();
            type.name = fmt::format("type-{}", types_.size());
            type.capacity = Eigen::Map<const core::Amounts>(
                capacity.data(), static_cast<Eigen::Index>(capacity.size()));
        }
        return known->second;
    }

    RequestField request_;
    core::ResourceSchema resources_;
    kueue::TopologySnapshot::Spec spec_;
    bool has_nodes_ = false;
    core::Labels flavor_labels_;
    std::map<Path, Leaf> leaves_;
    std::map<std::string, Path> paths_;    ///< Paths of leaves, by the id that assignments use.
    std::map<std::string, Path> by_node_;  ///< Paths of leaves, by the names of their nodes.
    std::map<Amounts, std::uint32_t> machine_types_;
    std::vector<core::MachineType> types_;
    std::unique_ptr<core::Ledger> ledger_;
};

/// Errors: RequestError; InputError if amounts overflow.
KueueCluster read_kueue_cluster(const RequestField& request) {
    return ClusterReader(request).read();
}

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
        // A size of 0 counts as omitted; for the outermost layer, the answer says so.
        read.layers.push_back({layer["topology"].text(),
                               layer["size"].whole_or(0, read.layers.empty() ? 0 : 1, INT32_MAX)});
    }
    const RequestField slices = field["sliceTopology"];
    if (read.layers.empty() && slices.is_present()) {
        read.layers = {{slices.text(), field["sliceSize"].whole_or(0, 0, INT32_MAX)}};
    }
    return read;
}

std::vector<core::NodeSelectorTerm> read_terms(const RequestField& list) {
    std::vector<core::NodeSelectorTerm> read;
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
        const bool is_of_kueue = !placement.reason.starts_with(kueue::invalid_selector);
        return {{"assignment", nullptr}, {is_of_kueue ? "reason" : "message", placement.reason}};
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

Json answer_kueue_topology(const RequestValue& json) {
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

#include "schedulers/kube/decide/filters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

#include "schedulers/kube/decide/node_rules.hpp"

namespace berth::core::kube {
namespace {

/// What all filters look at.
struct Question {
    const Pod& pod;
    const NodeState& node;
    const CycleState& state;
    const Configuration& configuration;
};

Verdict filter_unschedulable(const Question& asked) {
    const Taint taint{"node.kubernetes.io/unschedulable", "", "NoSchedule"};
    if (!asked.node.node().is_unschedulable ||
        find_untolerated(std::span(&taint, 1), asked.pod.tolerations, TaintOf::node) == nullptr) {
        return {};
    }
    return {Code::unresolvable, {"node(s) were unschedulable"}};
}

Verdict filter_name(const Question& asked) {
    if (asked.pod.node_name.empty() || asked.pod.node_name == asked.node.node().name) {
        return {};
    }
    return {Code::unresolvable, {"node(s) didn't match the requested node name"}};
}

Verdict filter_taints(const Question& asked) {
    if (!has_untolerated_taint(asked.pod, asked.node.node())) {
        return {};
    }
    return {Code::unresolvable, {"node(s) had untolerated taint(s)"}};
}

Verdict filter_affinity_to_nodes(const Question& asked) {
    const Node& node = asked.node.node();
    const auto& added = asked.configuration.added_nodes;
    if (added && !matches(*added, node.labels, node.name)) {
        return {Code::unresolvable, {"node(s) didn't match scheduler-enforced node affinity"}};
    }
    if (!matches_node_rules(asked.pod, node)) {
        return {Code::unresolvable, {"node(s) didn't match Pod's node affinity/selector"}};
    }
    return {};
}

Verdict filter_ports(const Question& asked) {
    const bool conflicts = std::ranges::any_of(asked.state.ports, [&](const HostPort& port) {
        return std::ranges::any_of(asked.node.ports(),
                                   [&](const HostPort& used) { return port.conflicts_with(used); });
    });
    if (!conflicts) {
        return {};
    }
    return {Code::unschedulable, {"node(s) didn't have free ports for the requested pod ports"}};
}

bool is_ignored(std::string_view resource, const Configuration& configuration) {
    return is_extended(resource) &&
           (configuration.ignored_resources.contains(resource) ||
            configuration.ignored_resource_groups.contains(resource.substr(0, resource.find('/'))));
}

Verdict filter_resources(const Question& asked) {
    const Amounts& wanted = asked.state.requests;
    const Amounts& all = asked.node.allocatable();
    Verdict verdict;
    if (static_cast<Quantity>(asked.node.pods().size()) + 1 > all.pods) {
        verdict = {Code::unschedulable, {"Too many pods"}};
    }
    const auto check = [&](std::string_view resource, Quantity amount) {
        if (amount <= all.of(resource) - asked.node.requested().of(resource)) {
            return;
        }
        verdict.reasons.push_back(fmt::format("Insufficient {}", resource));
        if (amount > all.of(resource)) {
            verdict.code = Code::unresolvable;
        } else if (verdict.code == Code::success) {
            verdict.code = Code::unschedulable;
        }
    };
    for (const std::string_view resource : {"cpu", "memory", "ephemeral-storage"}) {
        if (const Quantity amount = wanted.of(resource); amount > 0) {
            check(resource, amount);
        }
    }
    for (const auto& [resource, amount] : wanted.scalars) {
        if (amount > 0 && !is_ignored(resource, asked.configuration)) {
            check(resource, amount);
        }
    }
    return verdict;
}

Verdict filter_spread(const Question& asked) {
    return asked.state.spread ? asked.state.spread->filter(asked.pod, asked.node) : Verdict{};
}

Verdict filter_affinity_to_pods(const Question& asked) {
    return asked.state.affinity ? asked.state.affinity->filter(asked.pod, asked.node) : Verdict{};
}

Verdict filter_claims(const Question& asked) {
    return asked.state.claims ? asked.state.claims->filter(asked.node.node()) : Verdict{};
}

struct Filter {
    std::string_view plugin;
    Verdict (*ask)(const Question& asked);
};
constexpr std::array filters{
    Filter{"NodeUnschedulable", &filter_unschedulable},
    Filter{"NodeName", &filter_name},
    Filter{"TaintToleration", &filter_taints},
    Filter{"NodeAffinity", &filter_affinity_to_nodes},
    Filter{"NodePorts", &filter_ports},
    Filter{"NodeResourcesFit", &filter_resources},
    Filter{"PodTopologySpread", &filter_spread},
    Filter{"InterPodAffinity", &filter_affinity_to_pods},
    Filter{"DynamicResources", &filter_claims},
};

/// The names that a term allows, if it has conditions on the name of the node.
std::optional<std::set<std::string>> names_in(const NodeSelectorTerm& term) {
    std::optional<std::set<std::string>> names;
    for (const LabelExpression& field : term.fields) {
        if (field.key != "metadata.name" || field.op != LabelExpression::Operator::in) {
            continue;
        }
        const std::set<std::string> listed(field.values.begin(), field.values.end());
        if (names) {
            std::erase_if(*names, [&](const auto& name) { return !listed.contains(name); });
        } else {
            names = listed;
        }
    }
    return names;
}

/// The names of the only nodes that may match the required terms; nothing if a term does not name
/// its nodes.
std::optional<std::set<std::string>> names_in(const NodeTerms& terms) {
    std::set<std::string> names;
    for (const NodeTerm& term : terms) {
        std::optional<std::set<std::string>> own = names_in(term.conditions);
        if (!own) {
            return std::nullopt;
        }
        names.merge(*own);
    }
    return names;
}

/// Leaves only the nodes that required affinity names, if all of its terms name their nodes.
void name_nodes_by_affinity(const Pod& pod, PreFilter& result) {
    if (!pod.required_nodes || pod.required_nodes->empty()) {
        return;
    }
    std::optional<std::set<std::string>> names = names_in(*pod.required_nodes);
    if (!names) {
        return;
    }
    if (names->empty()) {
        result = {};
        result.verdict = {Code::unresolvable, {"pod affinity terms conflict"}, "NodeAffinity"};
        return;
    }
    if (result.nodes) {
        std::erase_if(*names, [&](const auto& name) { return !result.nodes->contains(name); });
    }
    result.nodes = std::move(names);
    result.plugins.insert("NodeAffinity");
    if (result.nodes->empty()) {
        result.verdict = {Code::unresolvable,
                          {fmt::format("node(s) didn't satisfy plugin(s) [{}] simultaneously",
                                       fmt::join(result.plugins, " "))}};
    }
}

}  // namespace

void CycleState::update(const CountedPod& other,
                        const Pod& pod,
                        const NodeState& node,
                        int change) {
    if (spread) {
        spread->update(other, pod, node, change);
    }
    if (affinity) {
        affinity->update(other, pod, node, change);
    }
}

PreFilter prefilter(const Pod& pod, Cluster& cluster) {
    PreFilter result;
    // Since 1.37, NodeName is a PreFilter that names one node. It comes first.
    if (cluster.configuration().version >= SchedulerVersion::v1_37 && !pod.node_name.empty()) {
        result.nodes = {pod.node_name};
        result.plugins = {"NodeName"};
    }
    name_nodes_by_affinity(pod, result);
    if (!result.verdict.is_success()) {
        return result;
    }
    CycleState& state = result.state;
    state.ports = host_ports(pod);
    state.requests = amounts_of(requests_of(pod, {}));
    state.spread = SpreadState::of(pod, cluster);
    state.affinity = AffinityState::of(pod, cluster);
    Verdict verdict;
    state.claims = cluster.claims().ask(pod, verdict);
    if (!verdict.is_success()) {
        result = {};
        result.verdict = std::move(verdict);
    }
    return result;
}

Verdict filter(const Pod& pod,
               const NodeState& node,
               const CycleState& state,
               const Configuration& configuration) {
    const Question asked{pod, node, state, configuration};
    for (const Filter& filter : filters) {
        Verdict verdict = filter.ask(asked);
        if (!verdict.is_success()) {
            verdict.plugin = filter.plugin;
            return verdict;
        }
    }
    return {};
}

Verdict filter_with_nominated(const Pod& pod,
                              const NodeState& node,
                              const CycleState& state,
                              const Cluster& cluster) {
    std::vector<const CountedPod*> others;
    std::ranges::copy_if(cluster.nominated_to(node.node().name),
                         std::back_inserter(others),
                         [&](const CountedPod* other) {
                             return other->pod.priority >= pod.priority &&
                                    other->pod.uid != pod.uid;
                         });
    if (!others.empty()) {
        NodeState with_others = node;
        CycleState state_with_others = state;
        for (const CountedPod* other : others) {
            with_others.add(*other);
            state_with_others.update(*other, pod, with_others, 1);
        }
        Verdict verdict = filter(pod, with_others, state_with_others, cluster.configuration());
        if (!verdict.is_success()) {
            return verdict;
        }
    }
    return filter(pod, node, state, cluster.configuration());
}

}  // namespace berth::core::kube

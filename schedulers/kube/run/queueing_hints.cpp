#include "schedulers/kube/run/queueing_hints.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "schedulers/kube/decide/node_rules.hpp"
#include "schedulers/kube/decide/topology_spread.hpp"

namespace berth::sim {
namespace {

namespace kube = core::kube;

using Kind = ClusterEvent::Kind;

bool fits_if_empty(const kube::Pod& pod, const kube::Node& node) {
    const kube::Amounts asked = kube::amounts_of(kube::requests_of(pod, {}));
    const kube::Amounts there = kube::amounts_of(node.allocatable);
    return there.pods >= 1 && asked.cpu <= there.cpu && asked.memory <= there.memory &&
           asked.ephemeral_storage <= there.ephemeral_storage &&
           std::ranges::all_of(asked.scalars, [&](const auto& scalar) {
               return scalar.second <= there.of(scalar.first);
           });
}

bool resources_fit(const ClusterEvent& event, const kube::Pod& pod, const kube::Cluster&) {
    return event.kind == Kind::pod_deleted ||
           (event.kind == Kind::node_added && fits_if_empty(pod, *event.node));
}

bool node_affinity(const ClusterEvent& event, const kube::Pod& pod, const kube::Cluster& cluster) {
    if (event.kind != Kind::node_added) {
        return false;
    }
    const auto& added = cluster.configuration().added_nodes;
    return kube::matches_node_rules(pod, *event.node) &&
           (!added || kube::matches(*added, event.node->labels, event.node->name));
}

bool taint_toleration(const ClusterEvent& event, const kube::Pod& pod, const kube::Cluster&) {
    return event.kind == Kind::node_added && !kube::has_untolerated_taint(pod, *event.node);
}

bool node_unschedulable(const ClusterEvent& event, const kube::Pod&, const kube::Cluster&) {
    return event.kind == Kind::node_added && !event.node->is_unschedulable;
}

bool node_name(const ClusterEvent& event, const kube::Pod&, const kube::Cluster&) {
    return event.kind == Kind::node_added;
}

bool node_ports(const ClusterEvent& event, const kube::Pod& pod, const kube::Cluster&) {
    if (event.kind != Kind::pod_deleted) {
        return event.kind == Kind::node_added;
    }
    const std::vector<kube::HostPort> wanted = kube::host_ports(pod);
    return std::ranges::any_of(kube::host_ports(*event.pod), [&](const kube::HostPort& held) {
        return std::ranges::any_of(
            wanted, [&](const kube::HostPort& one) { return one.conflicts_with(held); });
    });
}

bool topology_spread(const ClusterEvent& event,
                     const kube::Pod& pod,
                     const kube::Cluster& cluster) {
    std::vector<kube::SpreadConstraint> defaults;
    if (pod.spread.empty()) {
        defaults = kube::spread_constraints(pod, cluster, true);
    }
    const std::vector<kube::SpreadConstraint>& all = pod.spread.empty() ? defaults : pod.spread;
    if (event.pod != nullptr) {
        return event.pod->name_space == pod.name_space &&
               std::ranges::any_of(all, [&](const kube::SpreadConstraint& one) {
                   return one.is_hard && one.pods.matches(event.pod->labels);
               });
    }
    return event.node != nullptr && std::ranges::all_of(all, [&](const auto& one) {
               return !one.is_hard || event.node->labels.contains(one.topology_key);
           });
}

/// Whether there are terms, and all of them match a pod.
bool all_match(const std::vector<kube::PodTerm>& terms,
               const kube::Pod& pod,
               const kube::Cluster& cluster) {
    const core::Labels& of_namespace = cluster.namespace_labels(pod.name_space);
    return !terms.empty() && std::ranges::all_of(terms, [&](const kube::PodTerm& term) {
        return term.matches(pod.name_space, of_namespace, pod.labels);
    });
}

bool pod_affinity(const ClusterEvent& event, const kube::Pod& pod, const kube::Cluster& cluster) {
    switch (event.kind) {
        case Kind::pod_added:
            return all_match(pod.required_affinity, *event.pod, cluster);
        case Kind::pod_deleted:
            return all_match(pod.required_anti_affinity, *event.pod, cluster) ||
                   all_match(event.pod->required_anti_affinity, pod, cluster);
        case Kind::node_added:
            return !pod.required_anti_affinity.empty() ||
                   std::ranges::any_of(pod.required_affinity, [&](const kube::PodTerm& term) {
                       return event.node->labels.contains(term.topology_key);
                   });
        case Kind::node_deleted:
        case Kind::claim_deallocated:
            return false;
    }
    return false;
}

/// Whether the pods name a claim that both use.
bool share_claim(const kube::Pod& a, const kube::Pod& b) {
    return a.name_space == b.name_space &&
           std::ranges::any_of(a.claims, [&](const kube::PodClaim& one) {
               return !one.claim.empty() &&
                      std::ranges::find(b.claims, one.claim, &kube::PodClaim::claim) !=
                          b.claims.end();
           });
}

bool dynamic_resources(const ClusterEvent& event, const kube::Pod& pod, const kube::Cluster&) {
    return event.frees_devices || event.kind == Kind::node_added ||
           (event.pod != nullptr && share_claim(*event.pod, pod));
}

using Hint = bool (*)(const ClusterEvent&, const kube::Pod&, const kube::Cluster&);
constexpr std::array<std::pair<std::string_view, Hint>, 9> hints{
    {{"NodeResourcesFit", &resources_fit},
     {"NodeAffinity", &node_affinity},
     {"TaintToleration", &taint_toleration},
     {"NodeUnschedulable", &node_unschedulable},
     {"NodeName", &node_name},
     {"NodePorts", &node_ports},
     {"PodTopologySpread", &topology_spread},
     {"InterPodAffinity", &pod_affinity},
     {"DynamicResources", &dynamic_resources}}};

}  // namespace

bool may_help(const ClusterEvent& event,
              const kube::Pod& waiting,
              const std::set<std::string_view>& rejected_by,
              const kube::Cluster& cluster) {
    return std::ranges::any_of(hints, [&](const auto& hint) {
        return rejected_by.contains(hint.first) && hint.second(event, waiting, cluster);
    });
}

}  // namespace berth::sim

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/ledger/ledger.hpp"
#include "core/node_rules/node_affinity.hpp"
#include "core/tree/ids.hpp"
#include "schedulers/kueue/decide/configuration.hpp"
#include "schedulers/kueue/decide/topology_request.hpp"

namespace berth::core::kueue {

struct PreferredTerm {
    std::int64_t weight = 0;
    NodeSelectorTerm term;
    friend bool operator==(const PreferredTerm&, const PreferredTerm&) = default;
};

/// What admission checks add to the pods of a pod set.
struct PodSetUpdate {
    Labels node_selector;
    std::vector<Toleration> tolerations;
};

/// A pod set that is to be placed.
struct TopologyPodSet {
    std::string name;
    std::int64_t count = 0;
    /// The request of one pod, by the schema, including 1 of `pods`.
    std::vector<Amount> requests;
    std::optional<std::string> group;  ///< The name that a leader and its workers have in common.
    bool implied = false;  ///< It is placed by topology although it does not ask for it.
    TopologyRequest request;
    std::vector<Toleration> tolerations;
    Labels node_selector;
    std::optional<std::vector<NodeSelectorTerm>> required_affinity;
    std::vector<PreferredTerm> preferred_affinity;
    std::vector<PodSetUpdate> updates;
    /// The assignment of the slice that this one replaces.
    std::optional<TopologyAssignment> previous;
};

/// The workload whose pod sets are placed.
struct TopologyWorkload {
    std::string uid;
    bool owned_by_single_pod = false;
    std::vector<std::string> unhealthy_nodes;
    /// The assignment of each pod set, by its name.
    std::vector<std::pair<std::string, TopologyAssignment>> admission;
};

/// The properties of a node that rules look at, besides amounts.
struct NodeProperties {
    std::string name;
    Labels labels;
    std::vector<Taint> taints;
};

/// What pods that were placed by topology hold on each of the ledger's servers.
using HeldAmounts = std::map<ServerId, std::vector<Amount>>;

/// A cluster as topology-aware placement sees it: domains are the nodes of a tree, and amounts are
/// those of the ledger. The tree is the ledger's own, or another one over some of its servers, with
/// levels and an order of its own.
///
/// Shape:  level 0 of a topology is the level below the root of the tree; the domains of a level
///         are in the order of their values. Leaves are servers.
/// Source: Kueue, pkg/cache/scheduler/tas_flavor_snapshot.go.
class TopologySnapshot {
public:
    struct Spec {
        std::string name;                     ///< The name of the Topology.
        std::vector<std::string> levels;      ///< The node labels of the levels.
        std::vector<Toleration> tolerations;  ///< The tolerations of the flavor.
        FeatureGates gates;
        std::vector<NodeProperties> nodes;  ///< One for each server; empty unless leaves are nodes.
        /// What a placement on an empty cluster leaves out; nullptr: nothing. It may change
        /// together with the ledger.
        std::shared_ptr<const HeldAmounts> held;
        /// A tree of its own, and the ledger's server for each of the tree's servers; nullptr: the
        /// ledger's tree.
        std::shared_ptr<const Topology> tree;
        std::vector<ServerId> servers;
    };
    /// `ledger` outlives this object; nullptr for a cluster without any node.
    TopologySnapshot(Spec spec, const Ledger* ledger);

    [[nodiscard]] const std::string& name() const { return spec_.name; }
    [[nodiscard]] bool gate(FeatureGate gate) const { return spec_.gates[gate]; }
    [[nodiscard]] std::span<const Toleration> tolerations() const { return spec_.tolerations; }
    [[nodiscard]] std::span<const std::string> levels() const { return spec_.levels; }
    [[nodiscard]] std::size_t last_level() const { return spec_.levels.size() - 1; }
    [[nodiscard]] std::optional<std::size_t> find_level(std::string_view label) const;
    /// Whether the leaves are nodes of the cluster, whose labels and taints count.
    [[nodiscard]] bool has_nodes() const { return spec_.levels.back() == hostname; }
    [[nodiscard]] const NodeProperties& node(ServerId server) const {
        return spec_.nodes[server.index];
    }

    [[nodiscard]] bool is_empty() const { return ledger_ == nullptr; }
    [[nodiscard]] const Ledger& ledger() const { return *ledger_; }
    [[nodiscard]] const Topology& tree() const {
        return spec_.tree != nullptr ? *spec_.tree : ledger_->topology();
    }
    /// The ledger's server of a leaf, and the leaf of a server; nothing for a server that is not in
    /// the tree.
    [[nodiscard]] ServerId server_of(NodeId leaf) const;
    [[nodiscard]] std::optional<NodeId> leaf_of(ServerId server) const;
    /// The domains of a level of the topology, in the order of their values.
    [[nodiscard]] std::vector<NodeId> domains(std::size_t level) const;
    /// The level of the topology that a domain is on.
    [[nodiscard]] std::size_t level_of(NodeId domain) const {
        return tree().level_of(domain).index - 1;
    }
    /// The domain above at a level of the topology, or the domain itself.
    [[nodiscard]] NodeId ancestor(NodeId domain, std::size_t level) const {
        return tree().ancestor(domain, Level{static_cast<std::uint32_t>(level + 1)});
    }
    /// The values from the highest level down to that of the domain.
    [[nodiscard]] std::vector<std::string> values(NodeId domain) const;
    /// The values by which an assignment names a leaf: only the host name if leaves are nodes.
    [[nodiscard]] std::vector<std::string> leaf_values(NodeId leaf) const;
    /// The leaf that an assignment names by these values, if there is one.
    [[nodiscard]] std::optional<NodeId> find_leaf(const std::vector<std::string>& values) const;
    /// The values in one text, which distinguishes domains.
    [[nodiscard]] static std::string joined(const std::vector<std::string>& values);

    /// What is free on a leaf. `empty`: what would be free without pods that were placed by
    /// topology.
    [[nodiscard]] std::vector<Amount> free(NodeId leaf, bool empty) const;

    static constexpr std::string_view hostname = "kubernetes.io/hostname";

private:
    Spec spec_;
    const Ledger* ledger_;
    std::unordered_map<std::string, NodeId> leaves_;
    std::vector<std::optional<NodeId>>
        leaf_of_;  ///< For each of the ledger's servers; empty without a tree of its own.
};

}  // namespace berth::core::kueue

#pragma once

#include "experiments/program/requests/request_field.hpp"
#include "schedulers/kube/decide/cluster.hpp"

namespace berth::experiments {

/// Reads a Pod or a Node, as Kubernetes writes it. Fields that kube-scheduler does not read are
/// ignored. Errors of all functions: RequestError.
[[nodiscard]] core::kube::Pod read_kube_pod(const RequestField& field);
[[nodiscard]] core::kube::Node read_kube_node(const RequestField& field);

/// Reads the cluster of a request: its nodes, its running and its nominated pods, and the other
/// objects that count for decisions.
[[nodiscard]] core::kube::ClusterObjects read_kube_cluster(const RequestField& request);

/// Reads the terms of a node selector.
[[nodiscard]] core::kube::NodeTerms read_node_terms(const RequestField& selector);
/// Reads preferred terms of node affinity.
[[nodiscard]] std::vector<core::kube::PreferredNodeTerm> read_preferred_nodes(
    const RequestField& list);
/// Reads a quantity of at least 0: a text, or a whole number.
[[nodiscard]] core::Quantity read_quantity(const RequestField& field);
[[nodiscard]] core::Quantities read_quantities(const RequestField& field);

/// Reads `percentageOfNodesToScore`, `weights` and `pluginConfig`.
[[nodiscard]] core::kube::Configuration read_kube_configuration(const RequestField& field);
/// Reads a list of constraints on how pods spread; `labels` are those of the pod that has them.
[[nodiscard]] std::vector<core::kube::SpreadConstraint> read_spread_constraints(
    const RequestField& list, const core::Labels& labels);

}  // namespace berth::experiments

#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/program/support/request_field.hpp"
#include "schedulers/kube/decide/cluster.hpp"

namespace berth::experiments {

/// Reads a Pod, as Kubernetes writes it. Fields that kube-scheduler does not read are ignored.
/// Errors of all functions: RequestError.
[[nodiscard]] core::kube::Pod read_kube_pod(const RequestField& field);

/// The objects of a cluster, which are added one by one.
class KubeObjects {
public:
    /// Adds an object other than a Pod. Returns whether decisions depend on objects of this kind.
    [[nodiscard]] bool add(std::string_view kind, const RequestField& object);
    [[nodiscard]] core::kube::ClusterObjects& read() { return read_; }

private:
    core::kube::ClusterObjects read_;
    std::set<std::string> node_names_;
};

/// Reads the cluster of a request: its nodes, its running and its nominated pods, its
/// configuration, and the other objects that count for decisions.
[[nodiscard]] core::kube::ClusterObjects read_kube_cluster(const RequestField& request);

/// Reads the conditions of a selector of labels.
[[nodiscard]] core::kube::LabelSelector read_label_selector(const RequestField& field);
/// Reads the terms of a node selector.
[[nodiscard]] core::kube::NodeTerms read_node_terms(const RequestField& selector);
/// Reads preferred terms of node affinity.
[[nodiscard]] std::vector<core::kube::PreferredNodeTerm> read_preferred_nodes(
    const RequestField& list);
/// Reads a quantity of at least 0: a text, or a whole number.
[[nodiscard]] core::Quantity read_quantity(const RequestField& field);
[[nodiscard]] core::Quantities read_quantities(const RequestField& field);

/// Reads a version of kube-scheduler; the default one if it is absent.
[[nodiscard]] core::kube::SchedulerVersion read_kube_version(const RequestField& field);
/// Reads `version` and `percentageOfNodesToScore`, and by the names of plugins `weights` and
/// `pluginConfig`.
[[nodiscard]] core::kube::Configuration read_kube_configuration(const RequestField& field);
/// The first profile of a KubeSchedulerConfiguration.
struct KubeProfile {
    core::kube::Configuration configuration;
    std::string scheduler_name = "default-scheduler";
    std::int64_t initial_backoff_seconds = 1;
    std::int64_t longest_backoff_seconds = 10;
    std::size_t extenders = 0;      ///< Programs that would be asked about nodes, and are not.
    std::size_t more_profiles = 0;  ///< Profiles after the first one, which are not read.
    /// Plugins that are disabled, that are enabled without a weight, or whose arguments or weight
    /// matter to nothing here.
    std::size_t plugins_without_effect = 0;
};
[[nodiscard]] KubeProfile read_kube_profile(const RequestField& configuration);
/// Reads a Node.
[[nodiscard]] core::kube::Node read_kube_node(const RequestField& field);
/// Reads a list of constraints on how pods spread; `labels` are those of the pod that has them.
[[nodiscard]] std::vector<core::kube::SpreadConstraint> read_spread_constraints(
    const RequestField& list, const core::Labels& labels);

}  // namespace berth::experiments

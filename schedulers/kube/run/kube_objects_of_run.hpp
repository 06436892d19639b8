#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/tree/topology.hpp"
#include "schedulers/kube/run/kube_settings.hpp"
#include "sim/job/job.hpp"
#include "sim/job/pod_template.hpp"

// The servers and the jobs of a run as objects of Kubernetes.

namespace berth::sim {

/// The servers of a topology as Nodes, in the order of the tree. Their labels are those of the
/// topology, `kubernetes.io/hostname`, and one for each level above the servers:
/// `topology.kubernetes.io/zone` for a level `zone`, the same for `region`, and otherwise the
/// name of the level. A node takes 110 pods, as Kubernetes allows by default.
/// Cost: O(servers x labels).
[[nodiscard]] std::vector<KubeNode> nodes_of(const core::Topology& tree);

/// Amounts by the schema of a topology as quantities by the names that kube-scheduler counts:
/// `nvidia.com/gpu` for `gpu`, and `berth/NAME` for another name without a domain.
[[nodiscard]] core::Quantities quantities_of(const core::ResourceSchema& schema,
                                             std::span<const core::Amount> amounts);

/// What the specs of pods say about nodes and other pods: all but names, priority and amounts.
struct KubePodTemplate final : PodTemplate {
    explicit KubePodTemplate(core::kube::Pod of_pods) : pod(std::move(of_pods)) {}
    core::kube::Pod pod;
    /// What controls the pods, if no other object tells it.
    std::optional<core::kube::PodOwner> controller;
};

/// What a job carries of its pods; nullptr if they say nothing.
[[nodiscard]] const KubePodTemplate* template_in(const Job& job);

/// A pod of a job, without a node. Its uid is empty.
[[nodiscard]] core::kube::Pod pod_of(const Job& job, const core::ResourceSchema& schema);

}  // namespace berth::sim

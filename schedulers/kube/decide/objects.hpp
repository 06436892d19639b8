#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/node_rules/node_affinity.hpp"
#include "core/tree/resources.hpp"
#include "schedulers/kube/decide/label_selector.hpp"

// What kube-scheduler reads of the objects of Kubernetes, in the terms of these objects.

namespace berth::core::kube {

/// A port of the node that a container wants for itself.
struct HostPort {
    std::string ip;  ///< `0.0.0.0` stands for all addresses of the node.
    std::string protocol;
    std::int64_t port = 0;

    [[nodiscard]] bool conflicts_with(const HostPort& other) const;
    friend auto operator<=>(const HostPort&, const HostPort&) = default;
};

struct Container {
    std::string name;
    std::string image;
    Quantities requests;
    std::vector<HostPort> ports;
    /// An init container that goes on running beside the containers (`restartPolicy: Always`).
    bool is_sidecar = false;
    friend bool operator==(const Container&, const Container&) = default;
};

/// What the status of a running container says about its resources.
struct ContainerStatus {
    bool has_resources = false;
    std::optional<Quantities> requests;
    std::optional<Quantities> allocated;
    friend bool operator==(const ContainerStatus&, const ContainerStatus&) = default;
};

/// A term of affinity to pods, or of anti-affinity.
struct PodTerm {
    std::string topology_key;
    LabelSelector pods;
    /// The names of namespaces, and a selector of others.
    std::set<std::string> namespaces;
    LabelSelector namespace_selector;

    [[nodiscard]] bool matches(const std::string& name_space,
                               const Labels& namespace_labels,
                               const Labels& labels) const;
    friend auto operator<=>(const PodTerm&, const PodTerm&) = default;
};

struct PreferredPodTerm {
    PodTerm term;
    std::int64_t weight = 0;
    friend bool operator==(const PreferredPodTerm&, const PreferredPodTerm&) = default;
};

struct PreferredNodeTerm {
    NodeTerm term;
    std::int64_t weight = 0;
    friend bool operator==(const PreferredNodeTerm&, const PreferredNodeTerm&) = default;
};

/// A constraint on how pods spread over the values of a label of nodes.
struct SpreadConstraint {
    std::string topology_key;
    std::int64_t max_skew = 1;
    std::int64_t min_domains = 1;
    bool is_hard = true;  ///< It is DoNotSchedule, and otherwise ScheduleAnyway.
    bool honors_affinity = true;
    bool honors_taints = false;
    LabelSelector pods;  ///< It includes the conditions of `matchLabelKeys`.
    friend bool operator==(const SpreadConstraint&, const SpreadConstraint&) = default;
};

struct ResourceClaim;

/// A claim for devices that a pod names: one that is there, or one that is made for each pod.
struct PodClaim {
    std::string name;       ///< That by which containers know it.
    std::string claim;      ///< The ResourceClaim; empty if it is made for the pod.
    std::string made_from;  ///< The ResourceClaimTemplate of which it is made then.
    /// What the claim asks for if this is tried; nullptr: what its object says.
    std::shared_ptr<const ResourceClaim> instead = nullptr;
    friend bool operator==(const PodClaim&, const PodClaim&) = default;
};

/// The owner of a pod that controls it.
struct Owner {
    std::string api_version;
    std::string kind;
    std::string name;
    friend bool operator==(const Owner&, const Owner&) = default;
};

struct Pod {
    std::string name;
    std::string name_space;
    std::string uid;
    Labels labels;
    std::optional<Owner> controller;
    bool is_terminating = false;
    std::string pod_group;  ///< The PodGroup that it names; empty: none.

    std::int64_t priority = 0;
    bool never_preempts = false;
    std::string node_name;
    std::vector<Container> containers;
    std::vector<Container> init_containers;
    std::vector<std::string> image_volumes;
    std::vector<PodClaim> claims;
    Quantities overhead;
    std::optional<Quantities> pod_level_requests;

    std::optional<Labels> node_selector;
    std::optional<NodeTerms> required_nodes;
    std::optional<std::vector<PreferredNodeTerm>> preferred_nodes;
    std::vector<Toleration> tolerations;
    std::vector<SpreadConstraint> spread;
    std::vector<PodTerm> required_affinity;
    std::vector<PodTerm> required_anti_affinity;
    std::vector<PreferredPodTerm> preferred_affinity;
    std::vector<PreferredPodTerm> preferred_anti_affinity;

    std::string nominated_node;
    std::optional<std::int64_t> start_time;  ///< It is in nanoseconds since 1970.
    bool leaves_by_preemption = false;       ///< The scheduler preempted it, and it terminates.
    std::map<std::string, ContainerStatus> statuses;
    bool resize_is_infeasible = false;
    friend bool operator==(const Pod&, const Pod&) = default;
};

struct Image {
    std::vector<std::string> names;
    std::int64_t size = 0;
};

struct Node {
    std::string name;
    Labels labels;
    std::vector<Taint> taints;
    bool is_unschedulable = false;
    Quantities allocatable;
    std::vector<Image> images;
};

/// An object that selects pods, by which pods spread if they have no constraints of their own.
struct PodOwner {
    enum class Kind : std::uint8_t {
        service,
        replication_controller,
        replica_set,
        stateful_set,
    };
    Kind kind = Kind::service;
    std::string name;
    std::string name_space;
    LabelSelector pods;
    std::int64_t replicas = 0;  ///< So many pods it keeps, which decisions do not depend on.
};

/// Whether the object is the one that controls a pod. A Service controls none.
[[nodiscard]] bool controls(const PodOwner& owner, const Pod& pod);

struct DisruptionBudget {
    std::string name_space;
    LabelSelector pods;
    std::int64_t allowed = 0;
    std::set<std::string> disrupted;  ///< The disruption of these pods is counted already.
};

}  // namespace berth::core::kube

#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "schedulers/kube/decide/configuration.hpp"
#include "schedulers/kube/decide/objects.hpp"
#include "schedulers/kube/decide/requests.hpp"

namespace berth::core::kube {

/// A pod with the amounts that follow from its containers.
struct CountedPod {
    explicit CountedPod(Pod object);

    Pod pod;
    Amounts requests;
    NonZero non_zero;
    std::vector<HostPort> ports;
};

/// The ports of the node that a pod's containers and sidecars want.
[[nodiscard]] std::vector<HostPort> host_ports(const Pod& pod);

/// A node with the pods that run on it.
class NodeState {
public:
    explicit NodeState(const Node& node);

    void add(const CountedPod& pod);
    /// Removes a pod that is there. A port that another pod holds too is free afterwards, as in
    /// kube-scheduler.
    void remove(const CountedPod& pod);

    [[nodiscard]] const Node& node() const { return *node_; }
    [[nodiscard]] const Amounts& allocatable() const { return allocatable_; }
    [[nodiscard]] const Amounts& requested() const { return requested_; }
    [[nodiscard]] const NonZero& non_zero() const { return non_zero_; }
    [[nodiscard]] const std::vector<const CountedPod*>& pods() const { return pods_; }
    [[nodiscard]] const std::set<HostPort>& ports() const { return ports_; }

private:
    const Node* node_;
    Amounts allocatable_;
    Amounts requested_;
    NonZero non_zero_;
    std::vector<const CountedPod*> pods_;
    std::set<HostPort> ports_;
};

/// A pod and the position of its node.
struct PlacedPod {
    const CountedPod* pod;
    std::size_t node;
};

/// Which pods are counted: those that match all parts.
struct PodQuery {
    struct Part {
        LabelSelector pods;
        std::set<std::string> namespaces;
        bool in_every_namespace = false;
        friend auto operator<=>(const Part&, const Part&) = default;
    };
    std::vector<Part> parts;
    bool without_terminating = false;

    [[nodiscard]] bool matches(const Pod& pod) const;
    friend auto operator<=>(const PodQuery&, const PodQuery&) = default;
};

/// An image name of the cluster. It has one size, which is that on the first node that listed it.
struct ImageState {
    std::int64_t size = 0;
    std::int64_t nodes = 0;
};

/// The objects of a cluster at one moment.
struct ClusterObjects {
    Configuration configuration;
    /// Nodes must be in the order in which they were created.
    std::vector<Node> nodes;
    /// These pods run. They must be in the order in which they arrived.
    std::vector<Pod> pods;
    /// These pods wait for a node on which they preempted other pods.
    std::vector<Pod> nominated;
    std::map<std::string, Labels> namespaces;
    std::vector<PodOwner> owners;
    std::vector<DisruptionBudget> budgets;
};

/// A cluster as a scheduling cycle sees it: kube-scheduler's snapshot.
class Cluster {
public:
    explicit Cluster(ClusterObjects objects);
    Cluster(const Cluster&) = delete;
    Cluster& operator=(const Cluster&) = delete;
    Cluster(Cluster&&) = delete;
    Cluster& operator=(Cluster&&) = delete;
    ~Cluster() = default;

    [[nodiscard]] const Configuration& configuration() const { return objects_.configuration; }
    /// Nodes of all zones in turn.
    [[nodiscard]] const std::vector<NodeState>& nodes() const { return nodes_; }
    /// The position in nodes(); nothing if there is no such node.
    [[nodiscard]] std::optional<std::size_t> find(const std::string& name) const;
    [[nodiscard]] const std::vector<const CountedPod*>& nominated_to(const std::string& node) const;
    [[nodiscard]] const std::map<std::string, Labels>& namespaces() const {
        return objects_.namespaces;
    }
    [[nodiscard]] const Labels& namespace_labels(const std::string& name_space) const;
    [[nodiscard]] const std::vector<PodOwner>& owners() const { return objects_.owners; }
    [[nodiscard]] const std::vector<DisruptionBudget>& budgets() const { return objects_.budgets; }
    [[nodiscard]] const std::map<std::string, ImageState>& images() const { return images_; }

    /// The running pods with affinity or anti-affinity to pods, and those with required
    /// anti-affinity. Other pods matter only to a pod with terms of its own.
    [[nodiscard]] const std::vector<PlacedPod>& pods_with_affinity() const {
        return pods_with_affinity_;
    }
    [[nodiscard]] const std::vector<PlacedPod>& pods_with_anti_affinity() const {
        return pods_with_anti_affinity_;
    }

    /// How many running pods match, for each node.
    /// Cost: a look at every pod when a query comes first, and at every new pod afterwards. The
    ///       answer lasts until the next call.
    [[nodiscard]] const std::vector<std::int64_t>& count(const PodQuery& query);

    /// Puts a pod on a node, for which it no longer waits.
    void place(Pod pod, std::size_t node);
    /// Lets a pod wait for its nominated node, where others are preempted for it.
    void nominate(Pod pod);
    /// Takes back the nomination of the pod with this uid, if it has one.
    void withdraw(const std::string& uid);
    /// Replaces a node by one that differs only in labels, taints and `is_unschedulable`, and
    /// returns the node as it was. The order of the search stays.
    Node exchange(std::size_t node, Node changed);
    /// How often pods came, or pods that wait for a node came or went.
    [[nodiscard]] std::uint64_t changes() const { return changes_; }

    /// The node at which the next cycle begins.
    std::size_t next_start = 0;

private:
    void count_images();

    ClusterObjects objects_;
    std::vector<NodeState> nodes_;
    std::unordered_map<std::string, std::size_t> index_;
    std::deque<CountedPod> pods_;
    std::vector<PlacedPod> pods_with_affinity_;
    std::vector<PlacedPod> pods_with_anti_affinity_;
    std::map<std::string, std::vector<const CountedPod*>> nominated_;
    std::map<std::string, ImageState> images_;
    std::map<PodQuery, std::vector<std::int64_t>> counts_;
    std::uint64_t changes_ = 0;
};

}  // namespace berth::core::kube

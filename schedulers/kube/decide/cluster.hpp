#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "schedulers/kube/decide/configuration.hpp"
#include "schedulers/kube/decide/device_claims.hpp"
#include "schedulers/kube/decide/node_label.hpp"
#include "schedulers/kube/decide/objects.hpp"
#include "schedulers/kube/decide/requests.hpp"
#include "schedulers/kube/decide/running_terms.hpp"

namespace berth::core::kube {

/// A pod with the amounts that follow from its containers.
struct CountedPod {
    CountedPod(Pod object, SchedulerVersion version);

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
    NodeState(const Node& node, std::size_t position);

    void add(const CountedPod& pod);
    /// Removes a pod that is there. A port that another pod holds too is free afterwards, as in
    /// kube-scheduler.
    void remove(const CountedPod& pod);

    [[nodiscard]] const Node& node() const { return *node_; }
    /// The position in Cluster::nodes().
    [[nodiscard]] std::size_t position() const { return position_; }
    [[nodiscard]] const Amounts& allocatable() const { return allocatable_; }
    [[nodiscard]] const Amounts& requested() const { return requested_; }
    [[nodiscard]] const NonZero& non_zero() const { return non_zero_; }
    [[nodiscard]] const std::vector<const CountedPod*>& pods() const { return pods_; }
    [[nodiscard]] const std::set<HostPort>& ports() const { return ports_; }

private:
    const Node* node_;
    std::size_t position_;
    Amounts allocatable_;
    Amounts requested_;
    NonZero non_zero_;
    std::vector<const CountedPod*> pods_;
    std::set<HostPort> ports_;
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
    std::shared_ptr<const DeviceInventory> devices;  ///< nullptr: there are none.
};

/// The last changes of nodes. Each has a number, from 0 on.
class ChangeLog {
public:
    /// Of so many nodes. At least as many changes are kept: who has missed more looks at all nodes.
    explicit ChangeLog(std::size_t nodes) : nodes_(nodes) {}

    void add(std::size_t node) {
        if (last_.size() >= 2 * nodes_) {
            const auto kept = static_cast<std::ptrdiff_t>(nodes_);
            forgotten_ += last_.size() - nodes_;
            last_.erase(last_.begin(), last_.end() - kept);
        }
        last_.push_back(node);
    }
    /// How many changes there were.
    [[nodiscard]] std::size_t size() const { return forgotten_ + last_.size(); }
    /// The position of the node that a change was about. The change is one of the last.
    [[nodiscard]] std::size_t at(std::size_t change) const { return last_.at(change - forgotten_); }

private:
    std::size_t nodes_;
    std::size_t forgotten_ = 0;
    std::vector<std::size_t> last_;
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

    /// The terms of running pods by which they keep others away (required anti-affinity, each with
    /// the weight 1), and those by which nodes are scored.
    [[nodiscard]] const RunningTerms& repelling_terms() const { return repelling_terms_; }
    [[nodiscard]] const RunningTerms& scoring_terms() const { return scoring_terms_; }

    /// The values of a label of the nodes.
    /// Cost: a look at every node when a label comes first.
    [[nodiscard]] std::shared_ptr<const NodeLabel> label(const std::string& key) const;

    /// How many running pods match, for each node.
    /// Cost: a look at every pod when a query comes first, and at every new pod afterwards. The
    ///       answer lasts until the next call.
    [[nodiscard]] const std::vector<std::int64_t>& count(const PodQuery& query);

    /// The nodes whose pods changed, one after the other.
    [[nodiscard]] const ChangeLog& changes() const { return changes_; }

    /// The claims of pods, and the devices that are allocated to them.
    [[nodiscard]] const DeviceClaims& claims() const { return claims_; }

    /// Whether a pod of at least this priority waits for its nominated node.
    [[nodiscard]] bool has_nominated(std::int64_t priority) const;

    /// Puts a pod on a node, for which it no longer waits. Returns: the pod, until it is removed.
    const CountedPod& place(Pod pod, std::size_t node);
    /// Takes a pod that place() returned off its node.
    void remove(const CountedPod& pod, std::size_t node);
    /// Allocates and reserves the claims of a pod on its node, or takes that back. A pod that is
    /// only thought away keeps its devices, as in kube-scheduler.
    void reserve_claims(const Pod& pod,
                        std::size_t node,
                        DeviceClaims::Reservation how = DeviceClaims::Reservation::bound);
    void release_claims(const Pod& pod);
    /// A claim of the pod loses its devices; it must not be reserved for another pod.
    void deallocate(const Pod& pod, const PodClaim& claim);
    /// Goes on with the claims of another cluster of the same inventory, which loses them.
    void take_claims(Cluster& other) { claims_ = std::move(other.claims_); }
    /// Lets a pod wait for its nominated node, where others are preempted for it.
    void nominate(Pod pod);
    /// Takes back the nomination of the pod with this uid, if it has one.
    void withdraw(const std::string& uid);
    /// Adds an object that controls pods, of which none has been decided for.
    void add(PodOwner owner) { objects_.owners.push_back(std::move(owner)); }
    /// Sets how many pods of a budget, by its position in budgets(), may be disrupted.
    void allow(std::size_t budget, std::int64_t disruptions) {
        objects_.budgets.at(budget).allowed = disruptions;
    }
    /// Replaces a node by one that differs only in labels, taints and `is_unschedulable`, and
    /// returns the node as it was. The order of the search stays.
    Node exchange(std::size_t node, Node changed);
    /// A cluster with the same objects, on which something can be tried.
    /// Cost: O(nodes + pods).
    [[nodiscard]] std::unique_ptr<Cluster> copy() const;
    /// Grows when pods come or leave, and when pods that wait for a node do.
    [[nodiscard]] std::uint64_t version() const { return version_; }

    /// The node at which the next cycle begins.
    std::size_t next_start = 0;

private:
    void count_images();
    const CountedPod& keep(Pod pod);
    void count_terms(const Pod& pod, std::size_t node, int change);

    ClusterObjects objects_;
    std::vector<NodeState> nodes_;
    std::unordered_map<std::string, std::size_t> index_;
    /// Running and nominated pods, by their addresses. They are looked up, never iterated.
    std::unordered_map<const CountedPod*, std::unique_ptr<const CountedPod>> pods_;
    RunningTerms repelling_terms_;
    RunningTerms scoring_terms_;
    std::map<std::string, std::vector<const CountedPod*>> nominated_;
    std::map<std::string, ImageState> images_;
    std::map<PodQuery, std::vector<std::int64_t>> counts_;
    ChangeLog changes_;
    DeviceClaims claims_;
    /// The labels for which label() was called. They are computed once, until a node
    /// changes.
    mutable std::map<std::string, std::shared_ptr<const NodeLabel>> labels_;
    std::uint64_t version_ = 0;
};

}  // namespace berth::core::kube

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedulers/kueue/decide/topology_aware/topology_snapshot.hpp"

namespace berth::core::kueue {

/// The beginning of the failure for a selector that Kubernetes does not accept. Kueue's own text
/// has addresses of its memory in it.
inline constexpr std::string_view invalid_selector = "invalid selector: ";

/// What each leaf was given for pod sets of the same workload that were placed before.
using AssumedUsage = std::map<NodeId, std::vector<Amount>>;

/// The domain that a replacement must be in.
struct RequiredDomain {
    std::optional<NodeId> domain;  ///< Nothing: it may be anywhere.

    /// Whether a leaf is in the domain. If leaves are nodes, a leaf that is itself the domain is
    /// not: Kueue compares the node's name with the whole path there.
    [[nodiscard]] bool admits(NodeId leaf, const TopologySnapshot& snapshot) const;
    friend bool operator==(const RequiredDomain&, const RequiredDomain&) = default;
};

/// A task of placement: the pods of one pod set, and that of a leader if there is one.
struct PlacementTask {
    const TopologyPodSet& workers;
    const TopologyPodSet* leader = nullptr;
    const AssumedUsage& assumed;
    /// Places are searched as if there were no pods that were placed by topology.
    bool empty = false;
    RequiredDomain within;
    std::string_view uid;  ///< The uid of the workload.
};

/// The parameters that a task has on a topology.
struct PlacementParameters {
    std::int64_t count = 0;
    std::int64_t leaders = 0;     ///< 0 or 1.
    std::int64_t slice_size = 1;  ///< The number of pods in an outermost slice; 1 without slices.
    bool required = false;
    bool unconstrained = false;
    /// Domains are filled beginning with the one with the least free capacity.
    bool least_free_first = false;
    std::size_t level = 0;        ///< The level on which one domain is to hold all pods.
    std::size_t slice_level = 0;  ///< The level on which one domain is to hold each slice.
    /// For each level, the number of pods on a domain must be a multiple of this; 0: any number.
    std::vector<std::int64_t> inner_sizes;
    /// All layers of slices, for messages; none if there are no inner layers.
    std::vector<SliceLayer> layers;
    Labels node_selector;  ///< The selector of the pod set, with what admission checks add to it.
    std::vector<Toleration> tolerations;

    [[nodiscard]] std::int64_t slices() const { return count / slice_size; }
};

/// The parameters of a task, or why it has none.
struct ResolvedParameters {
    PlacementParameters parameters;
    std::string failure;  ///< Empty if there are parameters.
};
[[nodiscard]] ResolvedParameters resolve(const PlacementTask& task,
                                         const TopologySnapshot& snapshot);

/// The label of the level that a pod set asks for; nothing if it asks for none.
[[nodiscard]] std::optional<std::string> requested_level(const TopologyPodSet& set,
                                                         const TopologySnapshot& snapshot);

/// Why leaves take no pods: the text of each reason, and for how many leaves it was the first.
class Exclusions {
public:
    void set_total(std::size_t leaves) { total_ = leaves; }
    void add(const std::string& why, std::int64_t count = 1) { counts_[why] += count; }
    /// The end of a message: how many leaves there are, and how many of them are left out for which
    /// reason; or nothing.
    [[nodiscard]] std::string text() const;

private:
    std::size_t total_ = 0;
    std::map<std::string, std::int64_t> counts_;
};

/// The properties of a pod set that the rules about nodes look at.
struct NodeFilter {
    std::vector<Toleration> tolerations;
    Labels node_selector;
    std::optional<std::vector<NodeSelectorTerm>> required_affinity;
    std::vector<PreferredTerm> preferred;  ///< None if scores do not count.

    /// `scored`: whether preferred terms count.
    [[nodiscard]] static NodeFilter of(const TopologyPodSet& set,
                                       const PlacementParameters& parameters,
                                       bool scored);
    /// Why a node takes none of the pods; empty if it may take some.
    [[nodiscard]] std::string why_excluded(const NodeProperties& node) const;
    [[nodiscard]] std::int64_t score(const NodeProperties& node) const;
    friend bool operator==(const NodeFilter&, const NodeFilter&) = default;
};

/// Filters of the pod sets of one workload, kept from one placement to the next.
using NodeFilterCache = std::map<std::string, NodeFilter>;

}  // namespace berth::core::kueue

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

/// How the failure of a selector that Kubernetes does not take begins. Kueue's own words have
/// addresses of its memory in them.
inline constexpr std::string_view invalid_selector = "invalid selector: ";

/// What each leaf was given of pod sets of the same workload, placed before.
using AssumedUsage = std::map<NodeId, std::vector<Amount>>;

/// The domain that a replacement must lie in.
struct RequiredDomain {
    std::optional<NodeId> domain;  ///< Nothing: it may lie anywhere.

    /// Whether a leaf is in the domain. A leaf that is itself the domain is not, where leaves are
    /// nodes: Kueue compares the node's name with the whole path there.
    [[nodiscard]] bool admits(NodeId leaf, const TopologySnapshot& snapshot) const;
    friend bool operator==(const RequiredDomain&, const RequiredDomain&) = default;
};

/// A placement: pods of one pod set, and a leader's if there is one.
struct PlacementTask {
    const TopologyPodSet& workers;
    const TopologyPodSet* leader = nullptr;
    const AssumedUsage& assumed;
    bool empty = false;  ///< Places are searched as if no pod placed by topology were there.
    RequiredDomain within;
    std::string_view uid;  ///< The workload's.
};

/// What a task comes to on a topology.
struct PlacementParameters {
    std::int64_t count = 0;
    std::int64_t leaders = 0;     ///< 0 or 1.
    std::int64_t slice_size = 1;  ///< How many pods an outermost slice has; 1 without slices.
    bool required = false;
    bool unconstrained = false;
    bool least_free_first = false;  ///< Domains are filled from the one with least free capacity.
    std::size_t level = 0;          ///< The level in one domain of which all pods are to lie.
    std::size_t slice_level = 0;    ///< The level in one domain of which each slice is to lie.
    /// For each level, the number of which pods on a domain must be a multiple; 0: of none.
    std::vector<std::int64_t> inner_sizes;
    /// All layers of slices, for messages; none where there are no inner ones.
    std::vector<SliceLayer> layers;
    Labels node_selector;  ///< With what admission checks add to the pod set's.
    std::vector<Toleration> tolerations;

    [[nodiscard]] std::int64_t slices() const { return count / slice_size; }
};

/// The parameters of a task, or why it has none.
struct ResolvedParameters {
    PlacementParameters parameters;
    std::string failure;  ///< Empty if there is none.
};
[[nodiscard]] ResolvedParameters resolve(const PlacementTask& task,
                                         const TopologySnapshot& snapshot);

/// The level that a pod set asks for, by its label; nothing if it asks for none.
[[nodiscard]] std::optional<std::string> requested_level(const TopologyPodSet& set,
                                                         const TopologySnapshot& snapshot);

/// Why leaves take no pods: the text of each reason, and how often it was the first.
class Exclusions {
public:
    void set_total(std::size_t leaves) { total_ = leaves; }
    void add(const std::string& why, std::int64_t count = 1) { counts_[why] += count; }
    /// The end of a message: how many there are, and why how many are left out; or nothing.
    [[nodiscard]] std::string text() const;

private:
    std::size_t total_ = 0;
    std::map<std::string, std::int64_t> counts_;
};

/// What the rules about nodes look at in a pod set.
struct NodeFilter {
    std::vector<Toleration> tolerations;
    Labels node_selector;
    std::optional<std::vector<NodeSelectorTerm>> required_affinity;
    std::vector<PreferredTerm> preferred;  ///< None where scores do not count.

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

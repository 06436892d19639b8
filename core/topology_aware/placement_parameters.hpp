#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/topology_aware/topology_snapshot.hpp"

namespace berth::core::kueue {

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

}  // namespace berth::core::kueue

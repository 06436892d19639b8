#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/kueue/node_affinity.hpp"
#include "core/tree/ids.hpp"

namespace berth::core::kueue {

/// Pods that stay together in one domain of a level: so many at a time.
struct SliceLayer {
    std::string topology;
    std::int64_t size = 0;
};

/// How the pods of a pod set are to lie in the topology. Levels are the labels of nodes.
struct TopologyRequest {
    std::optional<std::string> required;   ///< All pods in one domain of this level.
    std::optional<std::string> preferred;  ///< The same, or of the lowest level above that does.
    bool unconstrained = false;
    std::vector<SliceLayer> layers;  ///< From the outermost inwards.

    /// Whether nothing but slices is asked for.
    [[nodiscard]] bool is_slices_only() const { return !required && !preferred && !layers.empty(); }
};

/// Where the pods of a pod set are.
struct TopologyAssignment {
    struct Domain {
        std::vector<std::string> values;  ///< By level.
        std::int64_t count = 0;
    };
    std::vector<std::string> levels;
    std::vector<Domain> domains;
};

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
    std::vector<Amount> requests;      ///< Of one pod, by the cluster's schema, one of `pods` too.
    std::optional<std::string> group;  ///< A leader and its workers have one in common.
    bool implied = false;              ///< It is placed by topology though it does not ask for it.
    TopologyRequest request;
    std::vector<Toleration> tolerations;
    Labels node_selector;
    std::optional<std::vector<NodeSelectorTerm>> required_affinity;
    std::vector<PreferredTerm> preferred_affinity;
    std::vector<PodSetUpdate> updates;
    std::optional<TopologyAssignment> previous;  ///< Of the slice that this one replaces.
};

/// The workload whose pod sets are placed.
struct TopologyWorkload {
    std::string uid;
    bool owned_by_single_pod = false;
    std::vector<std::string> unhealthy_nodes;
    std::vector<std::pair<std::string, TopologyAssignment>> admission;  ///< By pod set.
};

}  // namespace berth::core::kueue

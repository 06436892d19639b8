#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/kueue/node_affinity.hpp"
#include "core/kueue/topology_request.hpp"
#include "core/tree/ids.hpp"

namespace berth::core::kueue {

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
    std::vector<Amount> requests;      ///< What one pod asks for, by the schema; 1 of `pods` too.
    std::optional<std::string> group;  ///< The same name for a leader and for its workers.
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

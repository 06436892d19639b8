#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/topology_aware/placement_parameters.hpp"

namespace berth::core::kueue {

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

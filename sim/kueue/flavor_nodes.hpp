#pragma once

#include <map>
#include <memory>
#include <set>

#include "core/kueue/cache.hpp"
#include "core/tree/topology.hpp"
#include "sim/job/node_selector.hpp"

namespace berth::sim {

/// The servers of flavors: those that have all labels of each of them, as Kueue puts the
/// `nodeLabels` of a flavor into the `nodeSelector` of the pods that got it.
class FlavorNodes {
public:
    using Flavors = std::map<core::kueue::FlavorId, core::kueue::ResourceFlavor>;

    /// Both outlive it.
    FlavorNodes(const Flavors& flavors, const core::Topology& topology);

    /// Where pods run that got all these flavors; nullptr: anywhere, for they have no labels, or
    /// no server of the topology has any. Cost: O(servers) for each set of flavors once.
    [[nodiscard]] std::shared_ptr<const NodeSelector> of(
        const std::set<core::kueue::FlavorId>& flavors);

private:
    const Flavors& flavors_;
    const core::Topology& topology_;
    bool knows_labels_ = false;
    std::map<std::set<core::kueue::FlavorId>, std::shared_ptr<const NodeSelector>> selectors_;
};

}  // namespace berth::sim

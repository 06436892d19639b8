#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "core/tree/topology.hpp"
#include "schedulers/kueue/decide/cache.hpp"
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
    /// no server of the topology has any. `own`: what the pods' specs say, or nullptr.
    /// Cost: O(servers) for each set of flavors and text of specs once.
    [[nodiscard]] std::shared_ptr<const NodeSelector> of(
        const std::set<core::kueue::FlavorId>& flavors,
        const std::shared_ptr<const NodeSelector>& own);

private:
    [[nodiscard]] std::shared_ptr<const NodeSelector> of_labels(
        const std::set<core::kueue::FlavorId>& flavors) const;

    const Flavors& flavors_;
    const core::Topology& topology_;
    bool knows_labels_ = false;
    /// By flavors, and the text of the pods' specs.
    std::map<std::pair<std::set<core::kueue::FlavorId>, std::string>,
             std::shared_ptr<const NodeSelector>>
        selectors_;
};

}  // namespace berth::sim

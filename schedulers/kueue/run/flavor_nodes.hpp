#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/tree/topology.hpp"
#include "schedulers/kueue/decide/cache.hpp"
#include "sim/job/node_selector.hpp"
#include "sim/profile/admission.hpp"

namespace berth::sim {

/// The servers of flavors: those that have all labels of each flavor, as Kueue puts the
/// `nodeLabels` of a flavor into the `nodeSelector` of the pods that got it, and its `tolerations`
/// into theirs.
class FlavorNodes {
public:
    using Flavors = std::map<core::kueue::FlavorId, core::kueue::ResourceFlavor>;

    /// `flavors` and `topology` outlive it.
    FlavorNodes(const Flavors& flavors, const core::Topology& topology);

    /// Where pods that got all these flavors may run; nullptr: anywhere, because the flavors have
    /// no labels, or no server of the topology has any. `own`: what the pods' specs say, or
    /// nullptr.
    /// Cost: O(servers), once for each set of flavors and text of specs.
    [[nodiscard]] std::shared_ptr<const NodeSelector> of(
        const std::set<core::kueue::FlavorId>& flavors,
        const std::shared_ptr<const NodeSelector>& own);
    /// The labels and tolerations of these flavors.
    [[nodiscard]] AddedToPods added_by(const std::set<core::kueue::FlavorId>& flavors) const;

private:
    [[nodiscard]] std::shared_ptr<const NodeSelector> of_labels(
        const std::set<core::kueue::FlavorId>& flavors) const;
    [[nodiscard]] std::vector<core::Toleration> tolerations_of(
        const std::set<core::kueue::FlavorId>& flavors) const;

    const Flavors& flavors_;
    const core::Topology& topology_;
    bool knows_labels_ = false;
    /// Selectors by flavors, and by the text of the pods' specs.
    std::map<std::pair<std::set<core::kueue::FlavorId>, std::string>,
             std::shared_ptr<const NodeSelector>>
        selectors_;
};

}  // namespace berth::sim

#pragma once

#include <optional>
#include <utility>

#include "core/support/value.hpp"
#include "core/tree/topology.hpp"
#include "topologies/kubernetes_nodes.hpp"
#include "topologies/listed_nodes.hpp"

namespace berth::topologies {

/// Reads a document as read_topology() does, but for its long list, whose elements come one by one
/// and before the rest: the `items` of a list of Kubernetes nodes, or the `nodes` of a Topology's
/// spec. It does so for sound documents alone, and otherwise says that the document has to be read
/// whole: read_topology() then finds what is wrong, and where it stands.
class TopologyParts {
public:
    /// Goes on with warnings of others; errors there are none.
    explicit TopologyParts(core::Diagnostics diagnostics) : diagnostics_(std::move(diagnostics)) {}

    /// Takes an item of `document`, which was read as far as that. Returns false: read it whole.
    [[nodiscard]] bool take_item(const core::Value& item, const core::Value& document);
    /// The same of a node of a Topology's spec, in which machine types stand before the nodes.
    /// Warnings of these show lines before the first node.
    [[nodiscard]] bool take_node(const core::Value& node, const core::Value& spec);

    /// The last line that warnings of finish() may show, if not one before the first node.
    [[nodiscard]] int last_line_shown() const;
    /// The tree, where the list of `document` is empty. Nothing: read it whole. Call once.
    [[nodiscard]] std::optional<core::Topology> finish(const core::Value& document);
    /// Has all warnings, and no errors once there is a tree.
    [[nodiscard]] const core::Diagnostics& diagnostics() const { return diagnostics_; }

private:
    core::Diagnostics diagnostics_;
    std::optional<KubernetesNodes> items_;
    std::optional<ListedNodes> nodes_;
    bool shared_known_ = false;  ///< What servers share stands before the nodes.
};

}  // namespace berth::topologies

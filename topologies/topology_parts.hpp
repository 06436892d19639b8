#pragma once

#include <optional>
#include <utility>

#include "core/support/value.hpp"
#include "core/tree/topology.hpp"
#include "topologies/kubernetes_nodes.hpp"
#include "topologies/listed_nodes.hpp"

namespace berth::topologies {

/// Reads a document like read_topology(), except that the elements of its long list come one by one
/// and before the rest: the `items` of a list of Kubernetes nodes, or the `nodes` in a Topology's
/// spec. This works only for valid documents. For any other it says that the document must be read
/// as a whole: read_topology() then finds what is wrong, and where.
class TopologyParts {
public:
    /// Adds its warnings to those in `diagnostics`, which must have no errors.
    explicit TopologyParts(core::Diagnostics diagnostics) : diagnostics_(std::move(diagnostics)) {}

    /// Takes an item of `document`, which was read up to this item. Returns false if the document
    /// must be read as a whole.
    [[nodiscard]] bool take_item(const core::Value& item, const core::Value& document);
    /// The same for a node in a Topology's spec, in which the machine types must come before the
    /// nodes. Warnings about the machine types show lines before the first node.
    [[nodiscard]] bool take_node(const core::Value& node, const core::Value& spec);

    /// The last line that warnings of finish() may show, apart from lines before the first node.
    [[nodiscard]] int last_line_shown() const;
    /// The tree; the list in `document` is empty. Nothing if the document must be read as a whole.
    /// Call once.
    [[nodiscard]] std::optional<core::Topology> finish(const core::Value& document);
    /// Has all warnings, and no errors if there is a tree.
    [[nodiscard]] const core::Diagnostics& diagnostics() const { return diagnostics_; }

private:
    core::Diagnostics diagnostics_;
    std::optional<KubernetesNodes> items_;
    std::optional<ListedNodes> nodes_;
    bool shared_known_ = false;  ///< Whether the shared providers come before the nodes.
};

}  // namespace berth::topologies

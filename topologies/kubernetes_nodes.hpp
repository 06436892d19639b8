#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/support/interner.hpp"
#include "core/support/value.hpp"
#include "core/tree/topology.hpp"
#include "topologies/loose_tree.hpp"
#include "topologies/machine_type_pool.hpp"

namespace berth::topologies {

/// A level of the tree and the node label that names a node's place in it.
struct LabelLevel {
    std::string level;
    std::string label;
    bool optional = false;  ///< Left out when no node has the label.
};

/// Region and zone by the well-known labels, each where any node has it.
[[nodiscard]] std::vector<LabelLevel> default_label_levels();

/// Reads a Kubernetes `Node`, `NodeList` or `List`, as `kubectl get nodes -o json` prints it: a
/// tree of `cluster`, then `levels` top-down, then the nodes as level `server`. Items that are no
/// Node are skipped, and so is every field that is not used.
///
/// A node's capacity is `status.allocatable`, or else `status.capacity`; its machine type is named
/// by the label `node.kubernetes.io/instance-type`; its accelerators, by the labels of
/// core::GpuResource. Nodes without the label of a level stand under a node named `none`
/// there, with one warning a level.
///
/// The nodes `more` stand behind those of the document.
///
/// Shape:  siblings in the order of first appearance; resources likewise, then those of `also`.
/// Errors: recorded: no nodes, a node without name or resources, a wrong amount, one name twice.
[[nodiscard]] std::optional<core::Topology> read_kubernetes_nodes(
    const core::Value& document,
    const std::vector<LabelLevel>& levels,
    const core::ResourceSchema& also,
    core::Diagnostics& diagnostics,
    const std::vector<core::Value>& more = {});

/// The Nodes of such a document.
[[nodiscard]] std::vector<const core::Value*> kubernetes_nodes_in(const core::Value& document);

/// Makes a topology of Kubernetes nodes that come one by one, and keeps of each only what becomes
/// a part of the tree: read_kubernetes_nodes() says which parts these are.
///
/// Cost: about 200 bytes a node, 4 for each of its labels, and each different label once.
class KubernetesNodes {
public:
    KubernetesNodes(const std::vector<LabelLevel>& levels, core::Diagnostics& diagnostics);

    /// Takes note of the levels that a node has a label of; read() does so, too.
    void note_levels(const core::Value& node);
    /// Chooses those levels that have to be there and those that any node has.
    /// Errors: recorded: two levels of one name, too many.
    void choose_levels(const core::SourceSpan& document);
    /// Reads a Node. Errors: recorded.
    void read(const core::Value& node);

    [[nodiscard]] bool empty() const { return servers_.empty(); }
    /// The line of the last place that finish() may warn of; 0: it will not warn.
    [[nodiscard]] int last_line_warned_of() const;
    /// The tree of all nodes, of which there is one at least; levels are chosen. Call once.
    [[nodiscard]] std::optional<core::Topology> finish(const core::ResourceSchema& also,
                                                       const core::SourceSpan& document);

private:
    /// A level, and who lacks it.
    struct Candidate {
        LabelLevel level;
        bool used = false;    ///< Some node has the label.
        bool chosen = false;  ///< It becomes a level of the tree.
        std::size_t missing = 0;
        core::SourceSpan first_missing;
    };
    std::uint32_t read_inside(const core::Value& node, const std::string& name);
    void read_amounts(const core::Value& amounts, SparseAmounts& sparse);
    [[nodiscard]] std::vector<core::DeviceGroup> read_devices(const core::Value& node,
                                                              const SparseAmounts& amounts) const;
    void warn() const;
    [[nodiscard]] LooseTree tree();

    core::Diagnostics& diagnostics_;
    std::vector<Candidate> levels_;
    std::vector<LooseTree::Node> servers_;  ///< Without their parents.
    std::vector<std::uint32_t> places_;     ///< By server and level: a number of `place_names_`.
    core::Interner<std::string> place_names_;
    std::unordered_set<std::string> names_;
    std::size_t shared_ = 0;  ///< Nodes that say each of their GPUs several times.
    core::SourceSpan first_shared_;
    std::size_t count_ = 0;  ///< Of nodes that were read, whether they are sound or not.
    std::vector<std::string> level_names_;
    core::ResourceSchema resources_;
    core::NodeLabels labels_;  ///< Of the root, and then by server.
    MachineTypePool pool_;
};

}  // namespace berth::topologies

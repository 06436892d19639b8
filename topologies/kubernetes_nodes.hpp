#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/support/interner.hpp"
#include "core/support/value.hpp"
#include "core/tree/topology.hpp"
#include "topologies/loose_tree.hpp"
#include "topologies/machine_type_pool.hpp"

namespace berth::topologies {

/// A level of the tree, and the node label that tells a node's place in it.
struct LabelLevel {
    std::string level;
    std::string label;
    bool optional = false;  ///< Whether the level is left out if no node has the label.
};

/// The name of the place of nodes without the label of a level.
inline constexpr std::string_view place_of_unlabelled = "none";

/// Region and zone by the well-known labels, each only if some node has it.
[[nodiscard]] std::vector<LabelLevel> default_label_levels();

/// A Node, and copies of it with other names.
struct NodeCopies {
    core::Value node;  ///< It has a metadata.name, which is not used.
    std::vector<std::string> names;
};

/// Reads a Kubernetes `Node`, `NodeList` or `List`, as `kubectl get nodes -o json` prints it, into
/// a tree of `cluster`, then `levels` top-down, then the nodes as level `server`. Items that are no
/// Node are skipped, and so are all fields that are not used.
///
/// A node's capacity is `status.allocatable`, or else `status.capacity`. Its machine type is named
/// by the label `node.kubernetes.io/instance-type`, its accelerators by the labels of
/// core::GpuResource. Nodes without the label of a level are put under place_of_unlabelled there,
/// with one warning for each level.
///
/// The copies in `more` follow those of the document.
///
/// Shape:  siblings and resources are in the order of first appearance; the resources of `also`
///         come last.
/// Errors: recorded for a document without nodes, a node without name or resources, a wrong amount,
///         and a name that occurs twice.
[[nodiscard]] std::optional<core::Topology> read_kubernetes_nodes(
    const core::Value& document,
    const std::vector<LabelLevel>& levels,
    const core::ResourceSchema& also,
    core::Diagnostics& diagnostics,
    std::vector<NodeCopies> more = {});

/// The Nodes in such a document.
[[nodiscard]] std::vector<const core::Value*> kubernetes_nodes_in(const core::Value& document);

/// Makes a topology from Kubernetes nodes that come one by one. It keeps only those parts of each
/// node that the tree needs: read_kubernetes_nodes() says which parts these are.
///
/// Cost: about 200 bytes for each node, 4 for each of its labels, and memory for each different
///       label.
class KubernetesNodes {
public:
    KubernetesNodes(const std::vector<LabelLevel>& levels, core::Diagnostics& diagnostics);

    /// Notes which of the levels the node has a label for; read() does this too.
    void note_levels(const core::Value& node);
    /// Chooses the levels that are required and those that some node has.
    /// Errors: recorded for two levels of the same name, and for too many levels.
    void choose_levels(const core::SourceSpan& document);
    /// Reads a Node. Errors: recorded.
    void read(const core::Value& node);

    [[nodiscard]] bool empty() const { return servers_.empty(); }
    /// The last line that finish() may warn about; 0: it will not warn.
    [[nodiscard]] int last_line_warned_of() const;
    /// The tree of all nodes. There must be at least one node, and levels must have been chosen.
    /// Call once.
    [[nodiscard]] std::optional<core::Topology> finish(const core::ResourceSchema& also,
                                                       const core::SourceSpan& document);

private:
    /// A level, and the nodes that lack it.
    struct Candidate {
        LabelLevel level;
        bool used = false;    ///< Whether some node has the label.
        bool chosen = false;  ///< Whether it becomes a level of the tree.
        std::size_t missing = 0;
        core::SourceSpan first_missing;
    };
    /// `fresh`: the indices of the labels that no earlier node has.
    void check_labels(const core::Value& labels, const std::vector<std::size_t>& fresh);
    std::uint32_t read_inside(const core::Value& node, const std::string& name);
    void read_amounts(const core::Value& amounts, SparseAmounts& sparse);
    [[nodiscard]] std::vector<core::DeviceGroup> read_devices(const core::Value& node,
                                                              const SparseAmounts& amounts) const;
    void warn() const;
    [[nodiscard]] LooseTree tree();

    core::Diagnostics& diagnostics_;
    std::vector<Candidate> levels_;
    std::vector<LooseTree::Node> servers_;  ///< The servers, whose parents are not set yet.
    std::vector<std::uint32_t> places_;     ///< For each server and level, an index into
                                            ///< `place_names_`.
    core::Interner<std::string> place_names_;
    std::unordered_set<std::string> names_;
    std::size_t shared_ = 0;  ///< Number of nodes that report each of their GPUs several times.
    core::SourceSpan first_shared_;
    std::size_t count_ = 0;  ///< Number of nodes that were read, whether they are valid or not.
    std::vector<std::string> level_names_;
    core::ResourceSchema resources_;
    core::NodeLabels labels_;  ///< Labels of the root, then of each server.
    MachineTypePool pool_;
};

}  // namespace berth::topologies

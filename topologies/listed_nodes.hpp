#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/support/value.hpp"
#include "core/tree/topology.hpp"
#include "topologies/loose_tree.hpp"
#include "topologies/machine_types.hpp"

namespace berth::topologies {

/// Makes a topology from the nodes in a Topology's spec, which come one by one. It keeps only what
/// the tree needs: read_node_list_spec() describes the nodes.
///
/// Cost: about 100 bytes for each node.
class ListedNodes {
public:
    ListedNodes(MachineTypes types, core::Diagnostics& diagnostics);
    ListedNodes(const ListedNodes&) = delete;
    ListedNodes& operator=(const ListedNodes&) = delete;

    void reserve(std::size_t nodes);
    /// Errors: recorded.
    void read(const core::Value& node);
    [[nodiscard]] std::size_t size() const { return tree_.nodes.size(); }
    /// Finds the parents that come after their children. Errors: recorded. Call once.
    void find_parents();
    /// Call once, after find_parents(). Errors: reported to `fault`.
    [[nodiscard]] std::optional<core::Topology> finish(std::vector<std::string> level_names,
                                                       const NodeFault& fault);

private:
    /// A node whose parent was not known when it was read.
    struct Orphan {
        std::uint32_t node = 0;
        std::string parent;
        core::SourceSpan span;
    };
    /// Hashes nodes by the key by which other nodes name them.
    struct Hash {
        using is_transparent = void;
        const ListedNodes* nodes;
        std::size_t operator()(std::uint32_t node) const { return (*this)(nodes->key(node)); }
        std::size_t operator()(std::string_view key) const {
            return std::hash<std::string_view>()(key);
        }
    };
    struct Equal {
        using is_transparent = void;
        const ListedNodes* nodes;
        bool operator()(std::uint32_t a, std::uint32_t b) const { return a == b; }
        bool operator()(std::uint32_t a, std::string_view b) const { return nodes->key(a) == b; }
        bool operator()(std::string_view a, std::uint32_t b) const { return a == nodes->key(b); }
    };

    /// The node's id, or else its name.
    [[nodiscard]] std::string_view key(std::uint32_t node) const;
    void read_parent(std::uint32_t node, const core::Value& parent);

    core::Diagnostics& diagnostics_;
    MachineTypes types_;
    LooseTree tree_;
    std::vector<std::optional<std::string>> ids_;  ///< Ids of the nodes, up to the last node that
                                                   ///< has one.
    std::vector<Orphan> orphans_;
    std::unordered_set<std::uint32_t, Hash, Equal> by_key_;
};

}  // namespace berth::topologies

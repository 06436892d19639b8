#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/tree/topology.hpp"
#include "topologies/loose_tree.hpp"
#include "topologies/machine_type_pool.hpp"
#include "topologies/node_table.hpp"

namespace berth::topologies {

/// A level that a node list lacks and that is made up: its nodes are filled in the order of the
/// file, each with `children` nodes of the level below; the last gets what is left.
struct InventedLevel {
    std::string name;  ///< Its nodes are `NAME-0`, `NAME-1`, ...
    std::uint32_t children = 1;
};

/// The most that a server of a list may have: more is a mistake, and sums fit.
inline constexpr std::int64_t node_cpu_milli_max = 1'000'000'000;
inline constexpr std::int64_t node_memory_bytes_max = std::int64_t{1} << 50U;
inline constexpr std::int64_t node_gpus_max = 10'000;

/// A server of a node list: its name and what is in it.
struct ListedNode {
    std::string name;
    core::Amount cpu_milli = 0;
    std::optional<core::Amount> memory_bytes;  ///< Nothing: the list does not tell.
    std::int64_t gpus = 0;
    std::string gpu_model;
};

/// Gathers the servers of a node list into a topology.
///
/// Shape: `cluster`, the invented levels top-down, `server` in the order of the file. Resources
///        cpu, memory if the list has it, nvidia.com/gpu, then those of `also`. Machine types are
///        named by what they are: `96c-384Gi-8xG2`.
class NodeList {
public:
    NodeList(std::vector<InventedLevel> levels, core::Diagnostics& diagnostics)
        : levels_(std::move(levels)), diagnostics_(diagnostics) {}

    /// `stood` is where the node's name stands. Errors: recorded: a name that is empty or not new.
    void add(const ListedNode& node, const core::SourceSpan& stood);
    /// Errors: recorded: no nodes, two levels of one name, too many levels.
    [[nodiscard]] std::optional<core::Topology> finish(const core::ResourceSchema& also,
                                                       const core::SourceSpan& whole);

private:
    void check_levels(const core::SourceSpan& whole);
    [[nodiscard]] LooseTree tree();

    std::vector<InventedLevel> levels_;
    core::Diagnostics& diagnostics_;
    core::ResourceSchema resources_;
    MachineTypePool types_;
    std::set<std::string> names_;
    std::vector<LooseTree::Node> servers_;
};

}  // namespace berth::topologies

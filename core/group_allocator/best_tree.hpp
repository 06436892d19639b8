#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/group_allocator/group_amounts.hpp"

namespace berth::core {

/// How many cards a node has in each `gpugrp1` and, within it, in each `gpugrp0`, with larger
/// groups first. The groups' names are not kept: nodes of one shape are interchangeable.
struct GpuTree {
    std::int64_t count = 0;  ///< The number of cards.
    double score = 0;        ///< The score of a child. Children of equal count are ordered by it.
    std::vector<GpuTree> children;
};

/// The tree of the cards among a node's names. Only cards in a `gpugrp1` count, so a node without
/// such groups has the tree `0`.
[[nodiscard]] GpuTree gpu_tree(const GroupAmounts& node);

/// How close together the tree's cards are: cards count more the deeper they are and the fewer
/// siblings their groups have.
/// Returns: not-a-number if there is no child, as in the published program.
[[nodiscard]] double tree_score(const GpuTree& tree);

/// Whether the counts are equal all the way down.
[[nodiscard]] bool same_shape(const GpuTree& a, const GpuTree& b);

/// The tree in the form `8(4(4) 4(2 2))`.
[[nodiscard]] std::string to_string(const GpuTree& tree);

/// The distinct trees of a cluster's nodes. The requests of a pod that asks for the best tree
/// (`gpu/gpu-generate-topology: 1`) get the shape of the tree with the best score before any node
/// is looked at.
///
/// Source: KubeGPU's plug-in, gpuschedulerplugin/gpu.go: AddResourcesToNodeTreeCache,
///         ConvertToBestGPURequests.
/// Limits: of trees with one score the published program takes any, and this one takes the first
///         seen. It does not matter whether the node's cards are free.
class GpuTreeCache {
public:
    struct Entry {
        GpuTree tree;
        double score = 0;
        /// The nodes with this tree, in the order in which they were added.
        std::vector<std::string> nodes;
    };

    /// Errors: adding a node twice is a bug of the caller. A node without resources is left out.
    void add(std::string_view name, const GroupAmounts& node);
    [[nodiscard]] std::span<const Entry> entries() const { return entries_; }
    /// The tree with the highest score among those of at least `count` cards, or nullptr. A tree
    /// whose score is 0 or not-a-number is never taken.
    [[nodiscard]] const GpuTree* best(std::int64_t count) const;

private:
    std::vector<Entry> entries_;
};

/// A container's requests in the shape of `tree`: names with `/gpu/` are dropped, and `count` cards
/// are requested instead, filling the tree's groups in order. No more cards are requested than the
/// tree has. Every container begins at the first group.
[[nodiscard]] GroupAmounts request_tree(const GpuTree& tree,
                                        std::int64_t count,
                                        const GroupAmounts& requests);

}  // namespace berth::core

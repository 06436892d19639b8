#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/group_allocator/group_amounts.hpp"

namespace berth::core {

/// How many cards a node has in each `gpugrp1` and, within it, in each `gpugrp0`, larger groups
/// first. The groups' names are forgotten: nodes of one shape are interchangeable.
struct GpuTree {
    std::int64_t count = 0;  ///< Of cards.
    double score = 0;        ///< Of a child, by which children of equal count are ordered.
    std::vector<GpuTree> children;
};

/// The tree of the cards among a node's names. Only cards in a `gpugrp1` count, so a node without
/// such groups has the tree `0`.
[[nodiscard]] GpuTree gpu_tree(const GroupAmounts& node);

/// How close together the tree's cards are: deeper ones count more, in smaller families.
/// Returns: not a number when there is no child, as in the published program.
[[nodiscard]] double tree_score(const GpuTree& tree);

/// Equal counts all the way down.
[[nodiscard]] bool same_shape(const GpuTree& a, const GpuTree& b);

/// `8(4(4) 4(2 2))`.
[[nodiscard]] std::string to_string(const GpuTree& tree);

/// The different trees of a cluster's nodes. A pod that asks for the best tree
/// (`gpu/gpu-generate-topology: 1`) gets requests in the shape of one of them, whichever has the
/// best score, before any node is looked at.
///
/// Source: KubeGPU's plug-in, gpuschedulerplugin/gpu.go: AddResourcesToNodeTreeCache,
///         ConvertToBestGPURequests.
/// Limits: of trees with one score the published program takes any, this one the first seen.
///         Whether the node's cards are free is no part of it.
class GpuTreeCache {
public:
    struct Entry {
        GpuTree tree;
        double score = 0;
        std::vector<std::string> nodes;  ///< In the order they were added.
    };

    /// Errors: a node added twice is a caller's bug. A node with no resources is left out.
    void add(std::string_view name, const GroupAmounts& node);
    [[nodiscard]] std::span<const Entry> entries() const { return entries_; }
    /// The tree with the highest score among those of at least `count` cards, or nullptr. A score
    /// of 0 or none is never taken.
    [[nodiscard]] const GpuTree* best(std::int64_t count) const;

private:
    std::vector<Entry> entries_;
};

/// A container's requests in the shape of `tree`: names with `/gpu/` are dropped, and `count`
/// cards asked for, filling the tree's groups in their order. No more are asked for than the tree
/// has. Every container begins at the first group.
[[nodiscard]] GroupAmounts request_tree(const GpuTree& tree,
                                        std::int64_t count,
                                        const GroupAmounts& requests);

}  // namespace berth::core

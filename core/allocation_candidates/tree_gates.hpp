#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/allocation_candidates/candidate_plan.hpp"

namespace berth::core {

/// Finds the trees worth a look: those in which each part of a query, taken by itself, may find a
/// provider with enough left, and in which some provider has each trait and is in each aggregate.
///
/// Cost: next() is O(gates x log trees) for each tree that it gives, and skips the others however
///       many there are, unless each gate lets other trees pass.
class TreeGates {
public:
    /// Follows the usages of the moment.
    explicit TreeGates(CandidatePlan& plan);
    /// The first such tree at or after `from`, which never descends from call to call.
    [[nodiscard]] std::optional<TreeIndex> next(TreeIndex from);

private:
    /// Trees in ascending order, of which those before the cursor were passed.
    struct List {
        const std::vector<TreeIndex>* trees;
        std::size_t cursor = 0;
    };
    /// Lets a tree pass that has enough left, is in one of the lists, or is the one named.
    struct Gate {
        const MaxFree* free = nullptr;
        Amount amount = 0;
        std::vector<List> lists;
        std::optional<TreeIndex> named;
    };
    void add_group(CandidatePlan& plan, PlannedGroup& group);
    [[nodiscard]] static std::vector<TreeIndex> served(CandidatePlan& plan, std::size_t part);
    [[nodiscard]] static TreeIndex pass(Gate& gate, TreeIndex from);

    TreeIndex tree_count_;
    /// By part: the trees in which a provider from elsewhere can serve it; ascending.
    std::vector<std::vector<TreeIndex>> served_;
    std::vector<Gate> gates_;
};

}  // namespace berth::core

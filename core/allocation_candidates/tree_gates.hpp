#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/allocation_candidates/candidate_plan.hpp"

namespace berth::core {

/// Finds the trees that are worth looking at: those in which each part of a query, taken by itself,
/// may find a provider with enough left, and in which some provider has each trait and is in each
/// aggregate.
///
/// Cost: next() is O(gates x log trees) for each tree that it returns. It skips the others however
///       many there are, unless the gates let different trees pass.
class TreeGates {
public:
    /// The gates follow the current usages.
    explicit TreeGates(CandidatePlan& plan);
    /// The first such tree at or after `from`, which must never decrease from call to call.
    [[nodiscard]] std::optional<TreeIndex> next(TreeIndex from);

private:
    /// Trees in ascending order. Those before the cursor were passed.
    struct List {
        const std::vector<TreeIndex>* trees;
        std::size_t cursor = 0;
    };
    /// Lets a tree pass that has enough left, is in one of the lists, or is the named one.
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
    /// For each part: the trees in which a provider from elsewhere can serve it, in ascending
    /// order.
    std::vector<std::vector<TreeIndex>> served_;
    std::vector<Gate> gates_;
};

}  // namespace berth::core

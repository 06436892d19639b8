#include "core/allocation_candidates/tree_gates.hpp"

#include <algorithm>

namespace berth::core {
namespace {

constexpr TreeIndex nowhere = ~TreeIndex{0};

}  // namespace

TreeGates::TreeGates(CandidatePlan& plan) : tree_count_(plan.forest().tree_count()) {
    for (std::size_t part = 0; part < plan.parts().size(); ++part) {
        served_.push_back(served(plan, part));
    }
    for (const auto& names : plan.root().any_of()) {
        Gate& gate = gates_.emplace_back();
        for (const std::uint32_t trait : names) {
            gate.lists.push_back({&plan.forest().trees_with_trait(trait)});
        }
    }
    for (PlannedGroup& group : plan.groups()) {
        add_group(plan, group);
    }
}

std::vector<TreeIndex> TreeGates::served(CandidatePlan& plan, std::size_t part) {
    const ProviderForest& forest = plan.forest();
    std::vector<TreeIndex> trees;
    for (std::size_t i = 0; i < forest.sharing().size(); ++i) {
        if (plan.may_serve_elsewhere(forest.sharing()[i], part)) {
            trees.insert(trees.end(), forest.served(i).begin(), forest.served(i).end());
        }
    }
    if (!std::ranges::is_sorted(trees)) {
        std::ranges::sort(trees);
    }
    const auto repeated = std::ranges::unique(trees);
    trees.erase(repeated.begin(), repeated.end());
    return trees;
}

void TreeGates::add_group(CandidatePlan& plan, PlannedGroup& group) {
    const ProviderForest& forest = plan.forest();
    std::vector<List> shared;  // where a provider from elsewhere serves a part of the group
    for (const std::size_t part : group.parts) {
        const std::vector<List> offered{{&served_[part]}};
        for (const auto& [type, amount] : plan.parts()[part].resources) {
            gates_.push_back({&forest.max_free(type), amount, offered, std::nullopt});
        }
        shared.push_back(offered.front());
    }
    for (const auto& names : group.traits.any_of()) {
        Gate& gate = gates_.emplace_back();
        gate.lists = shared;
        for (const std::uint32_t trait : names) {
            gate.lists.push_back({&forest.trees_with_trait(trait)});
        }
    }
    for (const auto& names : group.aggregates.any_of()) {
        Gate& gate = gates_.emplace_back();
        gate.lists = shared;
        for (const std::uint32_t aggregate : names) {
            gate.lists.push_back({&forest.trees_in_aggregate(aggregate)});
        }
    }
    if (group.in_tree) {
        gates_.push_back({nullptr, 0, shared, group.in_tree});
    }
}

TreeIndex TreeGates::pass(Gate& gate, TreeIndex from) {
    TreeIndex first = nowhere;
    if (gate.free != nullptr) {
        first = gate.free->next(from, gate.amount).value_or(nowhere);
        if (first == from) {
            return from;
        }
    }
    if (gate.named && *gate.named >= from) {
        first = std::min(first, *gate.named);
    }
    for (List& list : gate.lists) {
        const std::vector<TreeIndex>& trees = *list.trees;
        std::size_t step = 1;  // galloping search, since the next one is mostly near
        while (list.cursor + step < trees.size() && trees[list.cursor + step] < from) {
            list.cursor += step;
            step *= 2;
        }
        const std::size_t end = std::min(list.cursor + step + 1, trees.size());
        list.cursor = static_cast<std::size_t>(
            std::lower_bound(trees.begin() + static_cast<std::ptrdiff_t>(list.cursor),
                             trees.begin() + static_cast<std::ptrdiff_t>(end),
                             from) -
            trees.begin());
        if (list.cursor < trees.size()) {
            first = std::min(first, trees[list.cursor]);
        }
    }
    return first;
}

std::optional<TreeIndex> TreeGates::next(TreeIndex from) {
    // This goes on until all gates let the same tree pass.
    std::size_t agreed = 0;
    for (std::size_t gate = 0; agreed < gates_.size(); gate = (gate + 1) % gates_.size()) {
        const TreeIndex first = pass(gates_[gate], from);
        agreed = first == from ? agreed + 1 : 1;
        from = first;
        if (from == nowhere) {
            return std::nullopt;
        }
    }
    return from < tree_count_ ? std::optional(from) : std::nullopt;
}

}  // namespace berth::core

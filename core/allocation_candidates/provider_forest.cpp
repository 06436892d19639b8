#include "core/allocation_candidates/provider_forest.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/support/assert.hpp"

namespace berth::core {

MaxFree::MaxFree(std::vector<TreeIndex> trees, const std::vector<Amount>& most)
    : trees_(std::move(trees)),
      leaves_(std::bit_ceil(trees_.size())),
      most_(2 * leaves_, std::numeric_limits<Amount>::min()) {
    BERTH_ASSERT(trees_.size() == most.size(), "an amount a tree");
    BERTH_AUDIT(std::ranges::is_sorted(trees_), "trees stand in their order");
    std::ranges::copy(most, most_.begin() + static_cast<std::ptrdiff_t>(leaves_));
    for (std::size_t match = leaves_; match-- > 1;) {
        most_[match] = std::max(most_[2 * match], most_[2 * match + 1]);
    }
}

std::size_t MaxFree::position(TreeIndex tree) const {
    if (tree < trees_.size() && trees_[tree] == tree) {
        return tree;  // every tree up to this one has the class, as is common
    }
    return static_cast<std::size_t>(std::ranges::lower_bound(trees_, tree) - trees_.begin());
}

std::optional<TreeIndex> MaxFree::next(TreeIndex from, Amount amount) const {
    const std::size_t first = position(from);
    if (first == trees_.size()) {
        return std::nullopt;
    }
    // Goes up while what is to the right of the path does not have enough, then down to the first
    // leaf there that has.
    std::size_t match = leaves_ + first;
    while (most_[match] < amount) {
        while (match % 2 == 1) {
            if (match == 1) {
                return std::nullopt;
            }
            match /= 2;
        }
        ++match;
    }
    while (match < leaves_) {
        match = most_[2 * match] >= amount ? 2 * match : 2 * match + 1;
    }
    return trees_[match - leaves_];
}

void MaxFree::set(TreeIndex tree, Amount most) {
    const std::size_t place = position(tree);
    BERTH_ASSERT(place < trees_.size() && trees_[place] == tree,
                 "a tree that changes has the class");
    std::size_t match = leaves_ + place;
    most_[match] = most;
    for (match /= 2; match > 0; match /= 2) {
        most_[match] = std::max(most_[2 * match], most_[2 * match + 1]);
    }
}

std::optional<ProviderIndex> ProviderForest::find(std::string_view uuid) const {
    const auto found = std::ranges::lower_bound(
        by_rank_, uuid, {}, [&](ProviderIndex provider) { return this->uuid(provider); });
    return found != by_rank_.end() && this->uuid(*found) == uuid ? std::optional(*found)
                                                                 : std::nullopt;
}

const InventoryRow* ProviderForest::inventory(ProviderIndex provider, ClassIndex type) const {
    const auto rows = inventories(provider);
    const auto found = std::ranges::find(rows, type, &InventoryRow::resource_class);
    return found != rows.end() ? &*found : nullptr;
}

void ProviderForest::add_usage(ProviderIndex provider, ClassIndex type, Amount amount) {
    BERTH_ASSERT(provider < provider_count(), "a provider is one of the forest's");
    const InventoryRow* row = inventory(provider, type);
    BERTH_ASSERT(row != nullptr && row->used + amount >= 0, "what is given back was taken");
    rows_[static_cast<std::size_t>(row - rows_.data())].used += amount;
    const TreeIndex tree = tree_of_[provider];
    Amount most = row->capacity - row->used;
    for (ProviderIndex other = root(tree); other < tree_end(tree); ++other) {
        if (const InventoryRow* theirs = inventory(other, type)) {
            most = std::max(most, theirs->capacity - theirs->used);
        }
    }
    max_free_[type].set(tree, most);
}

}  // namespace berth::core

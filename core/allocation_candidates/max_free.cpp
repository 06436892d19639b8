#include "core/allocation_candidates/max_free.hpp"

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
        return tree;  // every tree up to this one has the class: the common case
    }
    return static_cast<std::size_t>(std::ranges::lower_bound(trees_, tree) - trees_.begin());
}

std::optional<TreeIndex> MaxFree::next(TreeIndex from, Amount amount) const {
    const std::size_t first = position(from);
    if (first == trees_.size()) {
        return std::nullopt;
    }
    // Up while what is to the right of the path has not enough, then down to its first that has.
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

}  // namespace berth::core

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/tree/ids.hpp"

namespace berth::core {

using TreeIndex = std::uint32_t;

/// For one resource class: the trees that have it, each with what is left at the provider that has
/// most left, in a tournament.
///
/// Cost: next() and set() are O(log trees); 20 bytes a tree that has the class.
class MaxFree {
public:
    MaxFree() = default;
    /// `trees` ascend; `most` goes with them.
    MaxFree(std::vector<TreeIndex> trees, const std::vector<Amount>& most);
    /// The first tree at or after `from` of which one provider has `amount` left.
    [[nodiscard]] std::optional<TreeIndex> next(TreeIndex from, Amount amount) const;
    /// What one provider of `tree`, which has the class, has left at most.
    void set(TreeIndex tree, Amount most);

private:
    [[nodiscard]] std::size_t position(TreeIndex tree) const;

    std::vector<TreeIndex> trees_;
    std::size_t leaves_ = 0;    ///< A power of two.
    std::vector<Amount> most_;  ///< An implicit binary tree; entry 1 is the most of all.
};

}  // namespace berth::core

#pragma once

#include <cstdint>
#include <vector>

#include "core/support/assert.hpp"
#include "core/tree/ids.hpp"

namespace berth::core {

/// One child of a node as the placement algorithms sort it.
struct Child {
    Members fit = 0;
    NodeId node;
};

/// The orders in which children are tried: by fit, and for equal fits by their place in the tree.
enum class ChildOrder : std::uint8_t { decreasing_fit, increasing_fit };

/// Whether `a` is tried before `b`. The order is a template argument so that sorting can inline the
/// comparison.
template <ChildOrder order>
struct TriedBefore {
    bool operator()(const Child& a, const Child& b) const {
        if (a.fit != b.fit) {
            return order == ChildOrder::decreasing_fit ? a.fit > b.fit : a.fit < b.fit;
        }
        return a.node < b.node;
    }
};

/// The children of one wide node, kept sorted by (fit, node) in blocks of bounded length. The best
/// and the next best child are found without looking at the others, in both orders, and so is the
/// number of children below a fit.
///
/// Cost: a change moves entries of one or two blocks, O(block + log children); reading the next
///       child is O(1); count_below() adds up block sizes, O(children / block).
/// Why:  a tournament tree finds the best as quickly, but not the rank of a fit, which the rules of
///       a spread need (docs/decisions/0004-wide-nodes.md).
class SortedChildren {
public:
    /// `children` may be in any order.
    explicit SortedChildren(std::vector<Child> children);

    void change_fit(NodeId node, Members from, Members to);
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t count_below(Members fit) const;

    /// The position of an entry.
    struct Position {
        std::size_t block = 0;
        std::size_t entry = 0;
    };

    /// Walks the children in one order, lazily. Valid until the next change.
    class Cursor {
    public:
        [[nodiscard]] bool done() const { return left_ == 0; }
        [[nodiscard]] const Child& child() const {
            BERTH_AUDIT(!done(), "there is a child still to come");
            return children_->at(position_);
        }
        void next();

    private:
        friend class SortedChildren;
        const SortedChildren* children_ = nullptr;
        ChildOrder order_ = ChildOrder::increasing_fit;
        Position position_;
        /// Where the run of equal fits begins that a decreasing walk is in.
        Position equals_begin_;
        std::size_t left_ = 0;  ///< Children still to come, the current one included.
    };
    /// A cursor at the first child in `order`. An increasing walk skips children below `min_fit`.
    [[nodiscard]] Cursor walk(ChildOrder order, Members min_fit) const;

private:
    [[nodiscard]] const Child& at(Position position) const {
        return blocks_[position.block][position.entry];
    }
    /// The first entry at or after `child` in increasing order; the end has block == blocks.
    [[nodiscard]] Position lower_bound(const Child& child) const;
    [[nodiscard]] Position before(Position position) const;
    [[nodiscard]] Position after(Position position) const;
    [[nodiscard]] bool holds() const;
    void erase(const Child& child);
    void insert(const Child& child);

    static constexpr std::size_t block_max = 64;
    std::vector<std::vector<Child>> blocks_;  ///< The sorted children; no block is empty.
    std::vector<Child> heads_;  ///< The first entry of each block, kept together for the search.
    std::size_t size_ = 0;
};

}  // namespace berth::core

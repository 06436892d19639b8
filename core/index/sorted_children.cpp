#include "core/index/sorted_children.hpp"

#include <algorithm>

#include "core/support/assert.hpp"

namespace berth::core {
namespace {

constexpr TriedBefore<ChildOrder::increasing_fit> before_in_list;

}  // namespace

SortedChildren::SortedChildren(std::vector<Child> children) : size_(children.size()) {
    BERTH_ASSERT(!children.empty(), "a node has children");
    std::ranges::sort(children, before_in_list);
    // Blocks are half full at first, so that the first changes need no split.
    for (std::size_t begin = 0; begin < children.size(); begin += block_max / 2) {
        const std::size_t end = std::min(begin + block_max / 2, children.size());
        blocks_.emplace_back(children.begin() + static_cast<std::ptrdiff_t>(begin),
                             children.begin() + static_cast<std::ptrdiff_t>(end));
        blocks_.back().reserve(block_max);
        heads_.push_back(blocks_.back().front());
    }
}

SortedChildren::Position SortedChildren::lower_bound(const Child& child) const {
    const auto after_it = std::ranges::upper_bound(heads_, child, before_in_list);
    if (after_it == heads_.begin()) {
        return {};
    }
    const auto block = static_cast<std::size_t>(after_it - heads_.begin() - 1);
    const auto entry = std::ranges::lower_bound(blocks_[block], child, before_in_list);
    if (entry == blocks_[block].end()) {
        return {block + 1, 0};
    }
    return {block, static_cast<std::size_t>(entry - blocks_[block].begin())};
}

SortedChildren::Position SortedChildren::before(Position position) const {
    if (position.entry > 0) {
        return {position.block, position.entry - 1};
    }
    BERTH_ASSERT(position.block > 0, "something stands before the position");
    return {position.block - 1, blocks_[position.block - 1].size() - 1};
}

SortedChildren::Position SortedChildren::after(Position position) const {
    if (position.entry + 1 < blocks_[position.block].size()) {
        return {position.block, position.entry + 1};
    }
    return {position.block + 1, 0};
}

std::size_t SortedChildren::count_below(Members fit) const {
    const Position position = lower_bound({fit, NodeId{0}});
    std::size_t count = position.entry;
    for (std::size_t block = 0; block < position.block; ++block) {
        count += blocks_[block].size();
    }
    return count;
}

SortedChildren::Cursor SortedChildren::walk(ChildOrder order, Members min_fit) const {
    BERTH_ASSERT(size_ > 0, "a walk has a child to begin with");
    Cursor cursor;
    cursor.children_ = this;
    cursor.order_ = order;
    if (order == ChildOrder::increasing_fit) {
        cursor.left_ = size_ - count_below(min_fit);
        cursor.position_ = lower_bound({min_fit, NodeId{0}});
    } else {
        cursor.left_ = size_;
        cursor.equals_begin_ = lower_bound({blocks_.back().back().fit, NodeId{0}});
        cursor.position_ = cursor.equals_begin_;
    }
    return cursor;
}

void SortedChildren::Cursor::next() {
    BERTH_ASSERT(left_ > 0, "a walk ends after the last child");
    const Members fit = child().fit;
    --left_;
    if (left_ == 0) {
        return;
    }
    position_ = children_->after(position_);
    if (order_ == ChildOrder::increasing_fit) {
        return;
    }
    // Children of equal fit go by their place in the tree in both orders. A decreasing walk thus
    // reads each run of equal fits forwards and then jumps to the head of the run before it.
    if (position_.block == children_->blocks_.size() || child().fit != fit) {
        const Members lower = children_->at(children_->before(equals_begin_)).fit;
        equals_begin_ = children_->lower_bound({lower, NodeId{0}});
        position_ = equals_begin_;
    }
}

void SortedChildren::change_fit(NodeId node, Members from, Members to) {
    if (from != to) {
        erase({from, node});
        insert({to, node});
    }
    BERTH_AUDIT(holds(), "every child is in one block, and blocks are in order");
}

bool SortedChildren::holds() const {
    std::vector<Child> all;
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
        if (blocks_[block].empty() || heads_[block].node != blocks_[block].front().node) {
            return false;
        }
        all.insert(all.end(), blocks_[block].begin(), blocks_[block].end());
    }
    return heads_.size() == blocks_.size() && all.size() == size_ &&
           std::ranges::is_sorted(all, before_in_list);
}

void SortedChildren::erase(const Child& child) {
    const Position position = lower_bound(child);
    BERTH_ASSERT(position.block < blocks_.size() && at(position).node == child.node,
                 "a child is listed under its fit");
    std::vector<Child>& block = blocks_[position.block];
    const auto block_offset = static_cast<std::ptrdiff_t>(position.block);
    block.erase(block.begin() + static_cast<std::ptrdiff_t>(position.entry));
    if (block.empty()) {
        blocks_.erase(blocks_.begin() + block_offset);
        heads_.erase(heads_.begin() + block_offset);
    } else if (position.entry == 0) {
        heads_[position.block] = block.front();
    }
    --size_;
}

void SortedChildren::insert(const Child& child) {
    ++size_;
    if (blocks_.empty()) {
        blocks_.push_back({child});
        heads_.push_back(child);
        return;
    }
    const auto after_it = std::ranges::upper_bound(heads_, child, before_in_list);
    const std::size_t index =
        after_it == heads_.begin() ? 0 : static_cast<std::size_t>(after_it - heads_.begin() - 1);
    std::vector<Child>& block = blocks_[index];
    block.insert(std::ranges::lower_bound(block, child, before_in_list), child);
    heads_[index] = block.front();
    if (block.size() == block_max) {
        const auto middle = block.begin() + block_max / 2;
        std::vector<Child> upper(middle, block.end());
        upper.reserve(block_max);
        block.erase(middle, block.end());
        const auto next = static_cast<std::ptrdiff_t>(index + 1);
        heads_.insert(heads_.begin() + next, upper.front());
        blocks_.insert(blocks_.begin() + next, std::move(upper));
    }
}

}  // namespace berth::core

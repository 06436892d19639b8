#include "schedulers/kube/decide/ranked_numbers.hpp"

#include <algorithm>
#include <bit>

#include "core/support/assert.hpp"

namespace berth::core::kube {
namespace {

/// The place of an element of a heap if a subtree's root comes first, then its left half, then its
/// right half; an ancestor may have the same place as its left descendants.
std::uint64_t place_in_heap(std::size_t element) {
    const std::uint64_t path = std::uint64_t{element} + 1;
    return path << static_cast<unsigned>(std::countl_zero(path));
}

/// The first element of the level below that of an element of a heap.
std::size_t next_level(std::size_t element) {
    return (std::size_t{1} << static_cast<unsigned>(std::bit_width(element + 1))) - 1;
}

}  // namespace

RankedNumbers::RankedNumbers(const std::vector<Number>& numbers)
    : leaves_(std::bit_ceil(std::max<std::size_t>(numbers.size(), 1))), nodes_(2 * leaves_) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (numbers[i]) {
            nodes_[leaves_ + i] = {*numbers[i], 1};
        }
    }
    for (std::size_t node = leaves_; node-- > 1;) {
        join_children(node);
    }
}

void RankedNumbers::join_children(std::size_t node) {
    const Node& left = nodes_[2 * node];
    const Node& right = nodes_[2 * node + 1];
    nodes_[node] = {std::max(left.greatest, right.greatest), left.count + right.count};
}

void RankedNumbers::set(std::size_t position, Number number) {
    std::size_t node = leaves_ + position;
    nodes_[node] = number ? Node{*number, 1} : Node{};
    while (node > 1) {
        node /= 2;
        join_children(node);
    }
}

std::size_t RankedNumbers::rank_of(std::size_t position) const {
    std::size_t rank = 0;
    for (std::size_t node = leaves_ + position; node > 1; node /= 2) {
        rank += node % 2 == 1 ? nodes_[node - 1].count : 0;
    }
    return rank;
}

std::size_t RankedNumbers::position_of(std::size_t rank) const {
    BERTH_ASSERT(rank < size(), "a rank is that of a number");
    std::size_t node = 1;
    while (node < leaves_) {
        node *= 2;
        if (rank >= nodes_[node].count) {
            rank -= nodes_[node].count;
            ++node;
        }
    }
    return node - leaves_;
}

std::int64_t RankedNumbers::greatest(std::size_t node, std::size_t from, std::size_t to) const {
    if (from == 0 && to == nodes_[node].count) {
        return nodes_[node].greatest;
    }
    const std::size_t middle = nodes_[2 * node].count;
    std::int64_t most = none;
    if (from < middle) {
        most = greatest(2 * node, from, std::min(to, middle));
    }
    if (to > middle) {
        most = std::max(most, greatest(2 * node + 1, std::max(from, middle) - middle, to - middle));
    }
    return most;
}

std::int64_t RankedNumbers::greatest(Arc arc) const {
    BERTH_ASSERT(arc.first < size() && arc.count > 0 && arc.count <= size(),
                 "an arc has ranks of the circle, each of them once");
    const std::size_t end = arc.first + arc.count;
    if (end <= size()) {
        return greatest(1, arc.first, end);
    }
    return std::max(greatest(1, arc.first, size()), greatest(1, 0, end - size()));
}

/// A search for the element of a heap that comes first among the best ones. Elements are ranks,
/// counted from the first of an arc.
struct RankedNumbers::Search {
    std::ptrdiff_t count = 0;
    std::int64_t best = 0;
    std::ptrdiff_t next = 0;  ///< Elements before this one do not come into question.
    std::size_t chosen = 0;
    std::uint64_t place = std::numeric_limits<std::uint64_t>::max();  ///< Of the chosen one.
};

/// Goes on in a subtree, whose first number has the rank `first` of the arc. That may be negative.
void RankedNumbers::descend(Search& search, std::size_t node, std::ptrdiff_t first) const {
    const Node& here = nodes_[node];
    const std::ptrdiff_t end = first + static_cast<std::ptrdiff_t>(here.count);
    if (here.greatest < search.best || end <= search.next || first >= search.count) {
        return;
    }
    if (node < leaves_) {
        descend(search, 2 * node, first);
        descend(search, 2 * node + 1, first + static_cast<std::ptrdiff_t>(nodes_[2 * node].count));
        return;
    }
    const auto element = static_cast<std::size_t>(first);
    if (const std::uint64_t place = place_in_heap(element); place < search.place) {
        search.place = place;
        search.chosen = element;
    }
    search.next = static_cast<std::ptrdiff_t>(next_level(element));
}

std::size_t RankedNumbers::choose(Arc arc) const {
    // Making the heap moves a child up only if it is strictly better than its parent, and the right
    // one only if it is strictly better than the left one. So the root is the best element that
    // comes first if each comes before its descendants, and the left ones before the right ones.
    // On each level, that is the first.
    Search search{.count = static_cast<std::ptrdiff_t>(arc.count), .best = greatest(arc)};
    const auto first = static_cast<std::ptrdiff_t>(arc.first);
    descend(search, 1, -first);
    descend(search, 1, static_cast<std::ptrdiff_t>(size()) - first);
    return (arc.first + search.chosen) % size();
}

}  // namespace berth::core::kube

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

RankedNumbers::RankedNumbers(const std::vector<Number>& numbers, const std::vector<Layer>& layers)
    : leaves_(std::bit_ceil(std::max<std::size_t>(numbers.size(), 1))),
      counts_(2 * leaves_),
      layer_of_(layers) {
    layer_of_.resize(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (numbers[i]) {
            layer(layer_of_[i])[leaves_ + i] = *numbers[i];
            counts_[leaves_ + i] = 1;
        }
    }
    for (std::size_t node = leaves_; node-- > 1;) {
        counts_[node] = counts_[2 * node] + counts_[2 * node + 1];
        for (Greatest& of : layers_) {
            if (!of.empty()) {
                of[node] = std::max(of[2 * node], of[2 * node + 1]);
            }
        }
    }
}

RankedNumbers::Greatest& RankedNumbers::layer(Layer number) {
    if (number >= layers_.size()) {
        layers_.resize(number + 1);
    }
    if (layers_[number].empty()) {
        layers_[number].assign(2 * leaves_, none);
    }
    return layers_[number];
}

void RankedNumbers::set(std::size_t position, Number number, Layer to) {
    const std::size_t leaf = leaves_ + position;
    const auto put = [&](Greatest& of, std::int64_t value) {
        of[leaf] = value;
        for (std::size_t node = leaf / 2; node > 0; node /= 2) {
            of[node] = std::max(of[2 * node], of[2 * node + 1]);
        }
    };
    const std::uint32_t before = counts_[leaf];
    const std::uint32_t after = number ? 1 : 0;
    if (before == 1 && (!number || layer_of_[position] != to)) {
        put(layers_[layer_of_[position]], none);
    }
    if (number) {
        put(layer(to), *number);
        layer_of_[position] = to;
    }
    for (std::size_t node = leaf; before != after && node > 0; node /= 2) {
        counts_[node] += after - before;
    }
}

std::size_t RankedNumbers::rank_of(std::size_t position) const {
    std::size_t rank = 0;
    for (std::size_t node = leaves_ + position; node > 1; node /= 2) {
        rank += node % 2 == 1 ? counts_[node - 1] : 0;
    }
    return rank;
}

std::size_t RankedNumbers::position_of(std::size_t rank) const {
    BERTH_ASSERT(rank < size(), "a rank is that of a number");
    std::size_t node = 1;
    while (node < leaves_) {
        node *= 2;
        if (rank >= counts_[node]) {
            rank -= counts_[node];
            ++node;
        }
    }
    return node - leaves_;
}

std::int64_t RankedNumbers::greatest(const Greatest& of,
                                     std::size_t node,
                                     std::size_t from,
                                     std::size_t to) const {
    if ((from == 0 && to == counts_[node]) || of[node] == none) {
        return of[node];
    }
    const std::size_t middle = counts_[2 * node];
    std::int64_t most = none;
    if (from < middle) {
        most = greatest(of, 2 * node, from, std::min(to, middle));
    }
    if (to > middle) {
        most = std::max(most,
                        greatest(of, 2 * node + 1, std::max(from, middle) - middle, to - middle));
    }
    return most;
}

RankedNumbers::Number RankedNumbers::greatest(Arc arc, Layer layer) const {
    BERTH_ASSERT(arc.first < size() && arc.count > 0 && arc.count <= size(),
                 "an arc has ranks of the circle, each of them once");
    if (layer >= layers_.size() || layers_[layer].empty()) {
        return std::nullopt;
    }
    const Greatest& of = layers_[layer];
    const std::size_t end = arc.first + arc.count;
    const std::int64_t most = end <= size() ? greatest(of, 1, arc.first, end)
                                            : std::max(greatest(of, 1, arc.first, size()),
                                                       greatest(of, 1, 0, end - size()));
    return most == none ? std::nullopt : Number(most);
}

/// A search for the element of a heap that comes first among the best ones. Elements are ranks,
/// counted from the first of an arc.
struct RankedNumbers::Search {
    std::ptrdiff_t count = 0;
    const Greatest* of = nullptr;  ///< The numbers of one layer.
    std::int64_t best = 0;
    std::ptrdiff_t next = 0;  ///< Elements before this one do not come into question.
    std::size_t chosen = 0;
    std::uint64_t place = std::numeric_limits<std::uint64_t>::max();  ///< Of the chosen one.
};

/// Goes on in a subtree, whose first number has the rank `first` of the arc. That may be negative.
void RankedNumbers::descend(Search& search, std::size_t node, std::ptrdiff_t first) const {
    const std::ptrdiff_t end = first + static_cast<std::ptrdiff_t>(counts_[node]);
    if ((*search.of)[node] < search.best || end <= search.next || first >= search.count) {
        return;
    }
    if (node < leaves_) {
        descend(search, 2 * node, first);
        descend(search, 2 * node + 1, first + static_cast<std::ptrdiff_t>(counts_[2 * node]));
        return;
    }
    const auto element = static_cast<std::size_t>(first);
    const std::uint64_t place = place_in_heap(element);
    if (place < search.place || (place == search.place && element < search.chosen)) {
        search.place = place;
        search.chosen = element;
    }
    search.next = static_cast<std::ptrdiff_t>(next_level(element));
}

std::vector<RankedNumbers::Number> RankedNumbers::greatest_of_layers(Arc arc) const {
    std::vector<Number> all(layers_.size());
    for (Layer layer = 0; layer < all.size(); ++layer) {
        all[layer] = greatest(arc, layer);
    }
    return all;
}

std::size_t RankedNumbers::choose(Arc arc,
                                  const std::vector<Number>& greatest,
                                  const std::vector<std::int64_t>& added) const {
    // Making the heap moves a child up only if it is strictly better than its parent, and the right
    // one only if it is strictly better than the left one. So the root is the best element that
    // comes first if each comes before its descendants, and the left ones before the right ones.
    // On each level of a layer, that is the first.
    std::int64_t best = none;
    for (Layer layer = 0; layer < greatest.size(); ++layer) {
        best = greatest[layer] ? std::max(best, *greatest[layer] + added[layer]) : best;
    }
    Search search{.count = static_cast<std::ptrdiff_t>(arc.count)};
    const auto first = static_cast<std::ptrdiff_t>(arc.first);
    for (Layer layer = 0; layer < greatest.size(); ++layer) {
        if (greatest[layer] && *greatest[layer] + added[layer] == best) {
            search.of = &layers_[layer];
            search.best = *greatest[layer];
            search.next = 0;
            descend(search, 1, -first);
            descend(search, 1, static_cast<std::ptrdiff_t>(size()) - first);
        }
    }
    return (arc.first + search.chosen) % size();
}

}  // namespace berth::core::kube

#pragma once

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace berth::core::rounds {

/// Sorts a list that is nearly in order already. No two elements may be equal.
///
/// An element that is less than the one before it is taken out, together with that one. The elements
/// that were taken out are then sorted and merged with the rest, which is in order.
/// Cost: O(n + d log d), if the list would be in order without d of its n elements.
template <class Element>
void sort_nearly_sorted(std::vector<Element>& elements) {
    std::vector<Element> kept;
    std::vector<Element> taken_out;
    kept.reserve(elements.size());
    for (Element& one : elements) {
        if (kept.empty() || kept.back() < one) {
            kept.push_back(std::move(one));
        } else {
            taken_out.push_back(std::move(kept.back()));
            taken_out.push_back(std::move(one));
            kept.pop_back();
        }
    }
    std::sort(taken_out.begin(), taken_out.end());
    std::merge(std::move_iterator(kept.begin()),
               std::move_iterator(kept.end()),
               std::move_iterator(taken_out.begin()),
               std::move_iterator(taken_out.end()),
               elements.begin());
}

}  // namespace berth::core::rounds

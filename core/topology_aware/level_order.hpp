#pragma once

#include <compare>
#include <cstdint>
#include <iterator>
#include <set>

#include "core/tree/ids.hpp"

namespace berth::core::kueue {

/// The domains of one level by how many slices they take, then by their pods, then by their place,
/// so that the best and the next best are found without looking at the others.
///
/// Cost:   O(log domains) for each that changes.
class LevelOrder {
public:
    struct Key {
        std::int64_t slices = 0;
        std::int64_t pods = 0;
        NodeId domain;
        friend constexpr auto operator<=>(const Key&, const Key&) = default;
    };

    void insert(Key key) { keys_.insert(key); }
    void erase(Key key) { keys_.erase(key); }
    [[nodiscard]] bool empty() const { return keys_.empty(); }

    /// The one that takes least, at least `slices`; nullptr if none takes so much.
    [[nodiscard]] const Key* least_with(std::int64_t slices) const {
        const auto found = keys_.lower_bound(Key{slices, INT64_MIN, {}});
        return found == keys_.end() ? nullptr : &*found;
    }
    /// The first, if what takes most goes first.
    [[nodiscard]] const Key& most() const { return *least_with(keys_.rbegin()->slices); }
    /// The last, if what takes least goes first.
    [[nodiscard]] const Key& last() const { return *keys_.rbegin(); }
    /// The one behind, if what takes least goes first; nullptr behind the last.
    [[nodiscard]] const Key* after(const Key& key) const {
        const auto found = keys_.upper_bound(key);
        return found == keys_.end() ? nullptr : &*found;
    }
    /// The one behind, if what takes most goes first, and equals by pods and place.
    [[nodiscard]] const Key* after_descending(const Key& key) const {
        const Key* same = after(key);
        if (same != nullptr && same->slices == key.slices) {
            return same;
        }
        const auto first = keys_.lower_bound(Key{key.slices, INT64_MIN, {}});
        return first == keys_.begin() ? nullptr : least_with(std::prev(first)->slices);
    }

private:
    std::set<Key> keys_;
};

}  // namespace berth::core::kueue

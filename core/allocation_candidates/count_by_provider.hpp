#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace berth::core {

/// Some of the parts that are counted together, with one bit for each part.
using PartSet = std::uint32_t;
inline constexpr std::size_t counted_parts_max = 16;
/// The number of parts up to which a provider may take any set of them.
inline constexpr std::size_t counted_sets_max = 10;

/// Counts the ways to share out parts among providers. The providers are added one by one, and each
/// takes any set of parts that it can take at once.
///
/// Cost: for each provider, O(2^parts) for each set that it can take; memory for 2^parts numbers.
class WaysToShareOut {
public:
    explicit WaysToShareOut(std::size_t parts) : ways_(std::size_t{1} << parts) { ways_[0] = 1; }

    /// `may`: the parts that the provider may serve; `can_take`: whether it can take a set of them
    /// at once. A provider that cannot take some parts cannot take these and more.
    template <class CanTake>
    void add(PartSet may, CanTake can_take) {
        sets_.clear();
        extend(0, may, can_take);
        // Larger sets come first, so that no way is counted twice for one provider.
        for (std::size_t all = ways_.size(); all-- > 0;) {
            for (const PartSet set : sets_) {
                if ((all & set) == set) {
                    const std::uint64_t room =
                        std::numeric_limits<std::uint64_t>::max() - ways_[all];
                    ways_[all] += std::min(ways_[all & ~std::size_t{set}], room);
                }
            }
        }
    }
    /// The number of ways in which all parts are taken; at most 2^64 - 1.
    [[nodiscard]] std::uint64_t count() const { return ways_.back(); }

private:
    /// Finds the sets that extend `set` by parts from `may`.
    template <class CanTake>
    void extend(PartSet set, PartSet may, CanTake& can_take) {
        while (may != 0) {
            const PartSet part = may & ~(may - 1);
            may &= may - 1;
            if (can_take(set | part)) {
                sets_.push_back(set | part);
                extend(set | part, may, can_take);
            }
        }
    }

    /// The number of ways in which the providers so far take a set of parts. The set is the index.
    std::vector<std::uint64_t> ways_;
    std::vector<PartSet> sets_;  ///< The sets that the provider can take.
};

}  // namespace berth::core

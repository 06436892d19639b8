#pragma once

#include <bit>
#include <boost/sort/spreadsort/integer_sort.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <tuple>
#include <vector>

namespace berth::core::rounds {

/// What decides which of two jobs comes first that get shares of time.
///
/// Units: `lacks` is in seconds; `turns` is a share for each second or for each launch, whichever
///        the policy counts.
struct Urgency {
    double turns = 0;     ///< Its share over what it has had: more is more urgent.
    double lacks = 0;     ///< What it lacks of the time that shares gave it, if `turns` is equal.
    double share = 0;     ///< The job's share, which decides if both are equal.
    std::size_t was = 0;  ///< The job's position before; of equal jobs, the first one comes first.

    /// Whether `a` comes first. No two jobs are equal.
    friend bool operator<(const Urgency& a, const Urgency& b) {
        return std::tie(b.turns, b.lacks, b.share, a.was) <
               std::tie(a.turns, a.lacks, a.share, b.was);
    }
};

/// Brings jobs into their order. No `turns` is below 0.
///
/// Cost: about O(jobs), as the bits of `turns` spread them into buckets.
inline void sort_by_urgency(std::vector<Urgency>& jobs) {
    const auto bits = [](const Urgency& one, unsigned shift) {
        return ~std::bit_cast<std::uint64_t>(one.turns) >> shift;  // more turns come first
    };
    boost::sort::spreadsort::integer_sort(jobs.begin(), jobs.end(), bits, std::less<>());
}

}  // namespace berth::core::rounds

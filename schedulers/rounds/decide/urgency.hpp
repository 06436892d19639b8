#pragma once

#include <cstddef>
#include <tuple>

namespace berth::core::rounds {

/// What decides which of two jobs comes first that get shares of time.
///
/// Units: seconds, but for `share`.
struct Urgency {
    double turns = 0;     ///< Its share over what it has had: more is more urgent.
    double lacks = 0;     ///< What it lacks of the time that shares gave it, if `turns` is equal.
    double share = 0;     ///< The job's share, which decides if both are equal.
    std::size_t was = 0;  ///< The job's position before; of equal jobs, the first one comes first.

    /// Whether `a` comes first.
    friend bool operator<(const Urgency& a, const Urgency& b) {
        return std::tie(b.turns, b.lacks, b.share, a.was) <
               std::tie(a.turns, a.lacks, a.share, b.was);
    }
};

}  // namespace berth::core::rounds

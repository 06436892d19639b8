#pragma once

#include <compare>
#include <cstdint>

namespace berth::sim {

/// A waiting job's place in the queue: smaller keys are tried first.
struct QueueKey {
    std::int64_t owner = 0;    ///< The rank of the job's quota.
    std::int64_t rank = 0;     ///< The rank of the job itself.
    std::uint64_t number = 0;  ///< Counts entries into the queue; no two jobs share a number.
    friend auto operator<=>(const QueueKey&, const QueueKey&) = default;
};

}  // namespace berth::sim

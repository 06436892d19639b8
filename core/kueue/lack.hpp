#pragma once

#include <cstdint>

#include "core/kueue/cycle.hpp"

namespace berth::core::kueue {

/// What a workload lacked that a cycle looked at.
enum class Lack : std::uint8_t {
    none,            ///< It was admitted, or no cycle looked at it.
    active_queue,    ///< Its ClusterQueue is stopped, or not fit for use.
    flavor,          ///< No flavor matches what it asks for.
    quota_for_good,  ///< It asks for more than its ClusterQueue could have if nothing were used.
    quota,           ///< Too much is in use.
    places,          ///< There is quota, and no room for its pods where its topology wants them.
    turn,            ///< Others that were taken before it in the cycle have what it would get.
    leaving,         ///< Those that are preempted for it have not stopped yet.
};

/// The cache is as it was in the cycle.
[[nodiscard]] Lack lack_of(const Entry& entry, const Cache& cache);

}  // namespace berth::core::kueue

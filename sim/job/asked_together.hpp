#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

#include "core/tree/ids.hpp"
#include "sim/job/job.hpp"

namespace berth::sim {

/// The most of a resource that all pods of one job may ask for together. Added to what is in use,
/// which is no more than that either, it fits into 64 bits.
inline constexpr core::Amount asked_together_max = (core::Amount{1} << 62) - 1;

/// Whether `pods` pods, at least one, that ask for `amount` each, together ask for no more than
/// that.
[[nodiscard]] constexpr bool can_be_asked(core::Amount amount, core::Members pods) {
    return amount <= asked_together_max / pods;
}

/// The first resource of which a job asks for too much when it has the most pods that it ever has.
/// Returns: nothing if there is no such resource.
[[nodiscard]] inline std::optional<std::size_t> asks_for_too_much(const Job& job) {
    core::Members pods = job.size;
    for (const Resize& resize : job.resizes) {
        pods = std::max(pods, resize.size);
    }
    for (std::size_t r = 0; r < job.demand.size(); ++r) {
        if (!can_be_asked(job.demand[r], pods)) {
            return r;
        }
    }
    return std::nullopt;
}

}  // namespace berth::sim

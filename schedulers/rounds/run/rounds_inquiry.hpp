#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "sim/profile/admission.hpp"

namespace berth::sim {

/// Where a job that got no GPUs stood when it had its turn, and what would have been enough.
struct RoundsInquiry final : Inquiry {
    std::size_t rank = 0;   ///< The job's rank, from 1.
    std::size_t jobs = 0;   ///< How many had a turn.
    std::int64_t free = 0;  ///< How many GPUs were left.
    std::int32_t asked = 0;
    /// The most GPUs for which there was room then; 0 if there was none.
    std::int32_t enough_gpus = 0;
    /// The last rank before its own at which there was room for all that it asks for; 0 if at none.
    std::size_t enough_rank = 0;
};

}  // namespace berth::sim

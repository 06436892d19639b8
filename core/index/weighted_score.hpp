#pragma once

#include <cstdint>
#include <span>

#include "core/index/scorer.hpp"

namespace berth::core {

/// What scorers say together of a server on which the pod fits.
[[nodiscard]] inline std::int64_t weighted_score(std::span<const WeightedScorer> scorers,
                                                 std::span<const Amount> capacity,
                                                 std::span<const Amount> available,
                                                 std::span<const Amount> demand) {
    std::int64_t score = 0;
    for (const WeightedScorer& weighted : scorers) {
        score += weighted.weight * weighted.scorer->score(capacity, available, demand);
    }
    return score;
}

}  // namespace berth::core

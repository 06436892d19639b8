#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/tree/ids.hpp"

namespace berth::core {

/// Says how good a server is for one more pod: the higher the better.
///
/// Contract, checked for every registered scorer by tests/unit/core/scorers_test.cpp:
///   - the same amounts give the same score: no clock, no randomness, no other server;
///   - the score of a pod that fits is within [0, 100 x 2^20].
/// Amounts are by the schema, `available` before the pod is placed; the pod fits.
/// Scores are integers only, so that every compiler breaks ties alike. Of equal servers the first
/// in the tree is taken.
class Scorer {
public:
    virtual ~Scorer() = default;
    [[nodiscard]] virtual std::int64_t score(std::span<const Amount> capacity,
                                             std::span<const Amount> available,
                                             std::span<const Amount> demand) const = 0;
};

/// A scorer and how much its score counts beside the others.
struct WeightedScorer {
    std::shared_ptr<const Scorer> scorer;
    std::int64_t weight = 1;
};

struct ScorerEntry {
    std::string_view name;
    std::string_view summary;
    std::unique_ptr<Scorer> (*make)();
};

/// All scorers, by name, from core/scorers/scorers.def, which has one line for each file.
[[nodiscard]] std::span<const ScorerEntry> scorers();

/// The weighted sum of the scores for a server on which the pod fits.
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

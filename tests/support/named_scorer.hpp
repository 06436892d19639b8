#pragma once

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "core/index/scorer.hpp"
#include "core/support/assert.hpp"

namespace berth::tests {

/// The scorers of a profile that scores by one registered plug-in alone.
inline std::vector<core::WeightedScorer> by_scorer(std::string_view name) {
    const auto entry = std::ranges::find(core::scorers(), name, &core::ScorerEntry::name);
    BERTH_ASSERT(entry != core::scorers().end(), "the scorer is registered");
    return {{entry->make(), 1}};
}

}  // namespace berth::tests

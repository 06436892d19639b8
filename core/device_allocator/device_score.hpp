#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "core/tree/ids.hpp"

namespace berth::core {

/// How devices and machines are scored. Source: Koordinator's NodeResourcesFit-like strategies.
struct DeviceScorer {
    enum class Strategy : std::uint8_t { least_allocated, most_allocated };
    Strategy strategy = Strategy::least_allocated;
    std::map<std::string, Amount, std::less<>> weights;  ///< Not negative.
};

/// What a scorer sees of one resource.
struct ScoredAmounts {
    Amount request = 0;
    Amount total = 0;
    Amount free = 0;
};

/// 0 to 100 for one resource, as if the request had been taken.
[[nodiscard]] constexpr Amount resource_score(DeviceScorer::Strategy strategy,
                                              const ScoredAmounts& amounts) {
    __extension__ using Wide = __int128;
    Wide used = amounts.total;
    if (amounts.total >= amounts.free) {
        used = Wide{amounts.total} - amounts.free + amounts.request;
    }
    const Wide total = amounts.total;
    if (strategy == DeviceScorer::Strategy::most_allocated) {
        return static_cast<Amount>(std::min(used, total) * 100 / total);
    }
    return used > total ? 0 : static_cast<Amount>((total - used) * 100 / total);
}

/// The weighted mean over the resources of which there are any; 0 without one.
/// `weights`: by resource. `amounts(r)`: ScoredAmounts of resource r.
template <class Amounts>
[[nodiscard]] constexpr Amount weighted_score(DeviceScorer::Strategy strategy,
                                              std::span<const Amount> weights,
                                              Amounts amounts) {
    Amount sum = 0;
    Amount weight_sum = 0;
    for (std::size_t r = 0; r < weights.size(); ++r) {
        if (weights[r] == 0) {
            continue;
        }
        const ScoredAmounts of = amounts(r);
        if (of.total != 0) {
            sum += weights[r] * resource_score(strategy, of);
            weight_sum += weights[r];
        }
    }
    return weight_sum == 0 ? 0 : sum / weight_sum;
}

}  // namespace berth::core

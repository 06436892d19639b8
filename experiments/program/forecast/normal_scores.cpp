#include "experiments/program/forecast/normal_scores.hpp"

#include <algorithm>

#include "core/support/rounded_math.hpp"

namespace berth::experiments {

NormalScores::NormalScores() {
    constexpr double end = 0.5 / static_cast<double>(parts);
    for (std::size_t i = 0; i <= parts; ++i) {
        const double probability = static_cast<double>(i) / static_cast<double>(parts);
        scores_[i] = core::rounded_normal_quantile(std::clamp(probability, end / 2, 1 - end / 2));
    }
}

const NormalScores& NormalScores::table() {
    static const NormalScores scores;
    return scores;
}

double NormalScores::score(double probability) const {
    const double at = std::clamp(probability, 0.0, 1.0) * static_cast<double>(parts);
    const auto i = std::min(static_cast<std::size_t>(at), parts - 1);
    return scores_[i] + (at - static_cast<double>(i)) * (scores_[i + 1] - scores_[i]);
}

double NormalScores::probability(double score) const {
    const auto above = std::ranges::upper_bound(scores_, score);
    if (above == scores_.begin() || above == scores_.end()) {
        return above == scores_.end() ? 1 : 0;
    }
    const auto i = static_cast<std::size_t>(above - scores_.begin()) - 1;
    const double part = (score - scores_[i]) / (scores_[i + 1] - scores_[i]);
    return (static_cast<double>(i) + part) / static_cast<double>(parts);
}

}  // namespace berth::experiments

#include "experiments/program/forecast/run_time_curve.hpp"

#include <algorithm>

namespace berth::experiments {

RunTimeCurve::RunTimeCurve(const std::vector<SeenRatio>& seen) {
    double at_risk = 0;
    for (auto one = seen.rbegin(); one != seen.rend(); ++one) {
        at_risk += one->weight;
    }
    last_seen_ = seen.empty() ? 0 : seen.back().ratio;
    double longer = 1;
    for (std::size_t i = 0; i < seen.size();) {
        const double ratio = seen[i].ratio;
        double ended = 0;
        double left = 0;
        for (; i < seen.size() && seen[i].ratio == ratio; ++i) {
            (seen[i].ended ? ended : left) += seen[i].weight;
        }
        if (ended > 0) {
            // Differences of sums may leave a little where nothing is left.
            longer *= at_risk > ended ? 1 - ended / at_risk : 0;
            longer = longer < 1e-9 ? 0 : longer;
            steps_.push_back({ratio, longer});
        }
        at_risk -= ended + left;
    }
}

double RunTimeCurve::longer_than(double x) const {
    const auto after = std::ranges::upper_bound(steps_, x, {}, &Step::ratio);
    return after == steps_.begin() ? 1 : std::prev(after)->longer;
}

double RunTimeCurve::at_least(double x) const {
    const auto at = std::ranges::lower_bound(steps_, x, {}, &Step::ratio);
    return at == steps_.begin() ? 1 : std::prev(at)->longer;
}

double RunTimeCurve::quantile(double u, double ran) const {
    constexpr double little = 1.05;
    const double longer = longer_than(ran);
    const double wanted = longer * (1 - u);
    const auto step = std::ranges::partition_point(
        steps_, [&](const Step& one) { return one.ratio <= ran || one.longer > wanted; });
    if (longer <= 0 || step == steps_.end()) {
        return std::max({1.0, last_seen_, ran * little});
    }
    return step->ratio;
}

}  // namespace berth::experiments

#include "experiments/program/plan/sequential_test.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/support/assert.hpp"
#include "experiments/program/results/statistics.hpp"

namespace berth::experiments {
namespace {

/// The t that chance alone exceeds, in either direction, with this probability. It is found by
/// bisection, so that it is the same number with every C library.
double quantile_of_t(double outside, std::size_t degrees) {
    double low = 0;
    double high = 2;
    while (report::student_p(high, degrees) > outside) {
        low = high;
        high *= 2;
    }
    constexpr int halvings = 40;  // far more digits than a reader is shown
    for (int i = 0; i < halvings; ++i) {
        const double middle = std::midpoint(low, high);
        (report::student_p(middle, degrees) > outside ? low : high) = middle;
    }
    return high;
}

}  // namespace

std::vector<std::int64_t> looks_up_to(std::int64_t most) {
    BERTH_ASSERT(most >= 2, "an interval needs two replications");
    constexpr std::int64_t first = 4;
    std::vector<std::int64_t> counts;
    for (std::int64_t count = first; count < most; count += (count + 1) / 2) {
        counts.push_back(count);
    }
    counts.push_back(most);
    return counts;
}

double SequentialTest::quantile(double outside, std::size_t degrees) const {
    const auto [at, is_new] = quantiles_.try_emplace({outside, degrees});
    if (is_new) {
        at->second = quantile_of_t(outside, degrees);
    }
    return at->second;
}

Estimate SequentialTest::estimate(const std::vector<double>& values, std::size_t look) const {
    Estimate out;
    out.count = values.size();
    if (values.empty()) {
        out.half = std::numeric_limits<double>::infinity();
        return out;
    }
    const report::Spread spread = report::spread_of(values);
    out.mean = spread.mean;
    if (!has_intervals_) {
        return out;
    }
    if (values.size() < 2) {
        out.half = std::numeric_limits<double>::infinity();
    } else if (spread.sd > 0) {
        out.half = quantile(error_at(look), values.size() - 1) * spread.sd /
                   std::sqrt(static_cast<double>(values.size()));
    }
    return out;
}

bool SequentialTest::is_hopeless(const std::vector<double>& values,
                                 double bound,
                                 std::size_t last_look,
                                 std::int64_t last_count) const {
    const auto count = static_cast<double>(values.size());
    const auto last = static_cast<double>(last_count);
    if (values.size() < 2 || count >= last) {
        return false;
    }
    const report::Spread spread = report::spread_of(values);
    const double half = quantile(error_at(last_look), static_cast<std::size_t>(last_count) - 1) *
                        spread.sd / std::sqrt(last);
    const double may_move = 2 * spread.sd * std::sqrt(1 / count - 1 / last);
    return std::abs(spread.mean - bound) + may_move < half;
}

Standing standing_of(const Estimate& estimate, double bound, bool at_most) {
    const double upper = estimate.mean + estimate.half;
    const double lower = estimate.mean - estimate.half;
    if (at_most ? upper <= bound : lower >= bound) {
        return Standing::meets;
    }
    return (at_most ? lower > bound : upper < bound) ? Standing::misses : Standing::in_doubt;
}

}  // namespace berth::experiments

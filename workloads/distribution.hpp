#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "sim/clock/time.hpp"

namespace berth::workloads {

enum class DistributionKind : std::uint8_t {
    constant,
    uniform,
    exponential,
    log_normal,
    weibull,
    pareto,
    empirical,
};

/// A distribution of non-negative numbers, here of seconds.
///
/// Shape of `a` and `b` by kind: constant {value}, uniform {min, max}, exponential {mean},
/// log_normal {mean, coefficient of variation}, weibull {shape, scale}, pareto {shape, minimum};
/// empirical draws one of `values` by `weights`, or with equal chances if there are no weights.
struct Distribution {
    DistributionKind kind = DistributionKind::constant;
    double a = 0;
    double b = 0;
    std::vector<double> values;  ///< Ascending, so that quantiles ascend too.
    std::vector<double> weights;

    /// The number that inversion gives for a uniform random number `u` between 0 and 1. A draw
    /// takes one `u`, and a larger `u` never gives a smaller number. Two distributions that are
    /// given the same `u` are therefore long and short for the same jobs.
    [[nodiscard]] double quantile(double u) const;
    /// The mean; infinite for a Pareto distribution whose shape is at most 1.
    [[nodiscard]] double mean() const;
};

/// Seconds rounded to the nearest nanosecond, limited to what SimTime can hold from `now` on.
[[nodiscard]] inline sim::SimTime drawn_duration(double seconds, sim::SimTime now) {
    constexpr double nanoseconds = 1e9;
    const double rounded = std::round(seconds * nanoseconds);
    const sim::SimTime room = sim::never - now;
    if (!(rounded < static_cast<double>(room.count()))) {
        return room;
    }
    return sim::SimTime(static_cast<std::int64_t>(rounded));
}

}  // namespace berth::workloads

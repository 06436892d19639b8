#pragma once

#include <cstdint>
#include <vector>

#include "sim/random.hpp"

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
/// empirical draws one of `values` by `weights`, equally where there are none.
/// Source: Boost.Random for the draws; the log-normal's parameters follow from mean and variation.
struct Distribution {
    DistributionKind kind = DistributionKind::constant;
    double a = 0;
    double b = 0;
    std::vector<double> values;
    std::vector<double> weights;

    [[nodiscard]] double draw(sim::RandomBits& bits) const;
    /// Infinite for a Pareto whose shape is at most 1.
    [[nodiscard]] double mean() const;
};

}  // namespace berth::workloads

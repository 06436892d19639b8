#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace berth::experiments {

/// How many replications a point of a plan has at each look, from the first look to the last. Each
/// look has half as many again as the one before; the last one has `most`.
/// Shape: most of at least 2.
[[nodiscard]] std::vector<std::int64_t> looks_up_to(std::int64_t most);

/// The mean of a metric over replications, and the interval around it at one look.
struct Estimate {
    double mean = 0;
    double half = 0;        ///< Half the width of the interval; infinite for fewer than two values.
    std::size_t count = 0;  ///< The number of values.
};

/// What the values at one look say of a bound.
enum class Standing : std::uint8_t {
    untried,
    in_doubt,  ///< The bound lies inside the interval.
    meets,     ///< The whole interval keeps the bound.
    misses,    ///< No part of the interval keeps the bound.
};

/// The intervals of a plan. Together they hold with a probability of `confidence`: those of all
/// choices, all requirements and all looks, as often as the search looks and wherever it stops.
///
/// Source: Bonferroni's inequality. An interval at the k-th look may be wrong with the probability
///         (1 - confidence) / (choices * requirements * k * (k + 1)); the sum over all k, choices
///         and requirements is 1 - confidence. Nothing is assumed about how choices depend on one
///         another, so they may have common random numbers.
/// Limits: Student's t, which is exact if the replications' values are normal. Where they are far
///         from it, the first looks, with few values, may be wrong more often; and values that are
///         all equal have an interval without width, whatever the next one would be.
class SequentialTest {
public:
    /// Without a confidence, all replications are equal: a mean has no interval, and is the value.
    SequentialTest(std::optional<double> confidence, std::size_t choices, std::size_t requirements)
        : has_intervals_(confidence.has_value()),
          error_(1 - confidence.value_or(1)),
          intervals_(static_cast<double>(choices * requirements)) {}

    /// The probability with which an interval at a look may be wrong; the first look is 1.
    [[nodiscard]] double error_at(std::size_t look) const {
        return error_ / (intervals_ * static_cast<double>(look * (look + 1)));
    }

    /// Cost: some milliseconds for the quantile of Student's t, once for each look and number of
    ///       values.
    [[nodiscard]] Estimate estimate(const std::vector<double>& values, std::size_t look) const;

    /// Whether the point will probably still be in doubt at the last look: the bound lies inside
    /// the interval that the present spread gives there, also if the mean moves as far as two
    /// standard errors of what is still to come.
    [[nodiscard]] bool is_hopeless(const std::vector<double>& values,
                                   double bound,
                                   std::size_t last_look,
                                   std::int64_t last_count) const;

private:
    [[nodiscard]] double quantile(double outside, std::size_t degrees) const;

    bool has_intervals_;
    double error_;
    double intervals_;
    /// The quantiles of Student's t that were asked for, by the error and the degrees of freedom.
    mutable std::map<std::pair<double, std::size_t>, double> quantiles_;
};

/// Where a mean stands to a bound that it must not exceed or, with `at_most` unset, must reach.
[[nodiscard]] Standing standing_of(const Estimate& estimate, double bound, bool at_most);

}  // namespace berth::experiments

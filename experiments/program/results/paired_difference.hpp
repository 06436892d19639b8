#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace berth::report {

/// The values of one metric with one seed, in the baseline and in the other run.
struct ValuePair {
    double baseline = 0;
    double other = 0;
};

/// The comparison of a metric over all pairs: other less baseline.
struct PairedDifference {
    std::size_t n = 0;
    double baseline_mean = 0;
    double other_mean = 0;
    double mean = 0;  ///< The mean of the differences.
    double sd = 0;    ///< The standard deviation of the differences, with n - 1 in the denominator.
    double ci95 = 0;  ///< Half-width of the 95 % interval of `mean`.
    bool equal = false;  ///< Whether no pair differs.
    /// Hedges' g of the differences; nothing for fewer than three pairs, or if all differ by the
    /// same amount.
    std::optional<double> effect;
    /// The two-sided p-value; nothing for fewer than two pairs, or if no pair differs.
    std::optional<double> p;
};

/// Student's t-test for paired samples.
///
/// Values that agree to twelve digits count as equal, and so do differences that agree to twelve
/// digits of the values: rounding errors are not a spread. Pairs that are all equal are not tested.
/// Pairs that all differ by one amount leave no doubt, and have p 0 and an interval of no width.
/// Source: Student, Biometrika 6, 1908; Cohen's d_z (the mean difference over its standard
///         deviation) with Hedges' correction, J. Educ. Stat. 6, 1981: 1 - 3 / (4 (n - 1) - 1).
[[nodiscard]] PairedDifference paired_difference(const std::vector<ValuePair>& pairs);

/// Holm's step-down correction: each p-value adjusted for comparison with the level of the whole
/// family, in the order of the argument.
/// Source: Holm, Scand. J. Statist. 6, 1979.
[[nodiscard]] std::vector<double> holm_adjusted(const std::vector<double>& p);

}  // namespace berth::report

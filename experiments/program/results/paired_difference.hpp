#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace berth::report {

/// One metric under one seed, in the baseline and in the other run.
struct ValuePair {
    double baseline = 0;
    double other = 0;
};

/// What pairs say of a metric: other less baseline.
struct PairedDifference {
    std::size_t n = 0;
    double baseline_mean = 0;
    double other_mean = 0;
    double mean = 0;     ///< Of the differences.
    double sd = 0;       ///< Of the differences, n - 1 in the denominator.
    double ci95 = 0;     ///< Half-width of the 95 % interval of `mean`.
    bool equal = false;  ///< No pair differs.
    /// Hedges' g of the differences; nothing for fewer than three pairs, or where all differ by the
    /// same amount.
    std::optional<double> effect;
    std::optional<double> p;  ///< Two-sided; nothing for fewer than two pairs, or equal ones.
};

/// Student's t for paired samples.
///
/// Values that agree to twelve digits count as equal, and so do differences that agree to twelve
/// digits of the values: their rounding is no spread. Equal pairs are not tested; pairs that all
/// differ by one amount leave no doubt, and have p 0 and an interval of no width.
/// Source: Student, Biometrika 6, 1908; Cohen's d_z (the mean difference over its standard
///         deviation) with Hedges' correction, J. Educ. Stat. 6, 1981: 1 - 3 / (4 (n - 1) - 1).
[[nodiscard]] PairedDifference paired_difference(const std::vector<ValuePair>& pairs);

/// Holm's step-down correction: each p value as it is to be compared with the level that the whole
/// family shall have. In the order of the argument.
/// Source: Holm, Scand. J. Statist. 6, 1979.
[[nodiscard]] std::vector<double> holm_adjusted(const std::vector<double>& p);

}  // namespace berth::report

#include "experiments/program/results/paired_difference.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "experiments/program/results/statistics.hpp"

namespace berth::report {
namespace {

constexpr double digits_kept = 1e-12;

/// The mean, without rounding errors where all values are equal.
double exact_mean_of(const std::vector<double>& values) {
    const auto [least, most] = std::ranges::minmax(values);
    return least == most ? least : spread_of(values).mean;
}

/// Computes mean, spread, interval and test of two or more differences that are not all zero.
void test(const std::vector<double>& differences, double scale, PairedDifference& out) {
    const auto n = static_cast<double>(differences.size());
    double squares = 0;
    for (const double difference : differences) {
        squares += (difference - out.mean) * (difference - out.mean);
    }
    out.sd = std::sqrt(squares / (n - 1));
    if (out.sd <= digits_kept * scale) {
        out.sd = 0;
        out.p = 0;
        return;
    }
    const double error = out.sd / std::sqrt(n);
    out.ci95 = student_t95(differences.size() - 1) * error;
    out.p = student_p(out.mean / error, differences.size() - 1);
    if (differences.size() > 2) {  // for two differences, the correction would give 0
        out.effect = out.mean / out.sd * (1 - 3 / (4 * (n - 1) - 1));
    }
}

}  // namespace

PairedDifference paired_difference(const std::vector<ValuePair>& pairs) {
    PairedDifference out;
    out.n = pairs.size();
    if (pairs.empty()) {
        return out;
    }
    std::vector<double> baseline;
    std::vector<double> other;
    std::vector<double> differences;
    double scale = 0;
    out.equal = true;
    for (const ValuePair& pair : pairs) {
        const double size = std::max(std::abs(pair.baseline), std::abs(pair.other));
        const double difference = pair.other - pair.baseline;
        const bool same = std::abs(difference) <= digits_kept * size;
        baseline.push_back(pair.baseline);
        other.push_back(pair.other);
        differences.push_back(same ? 0 : difference);
        scale = std::max(scale, size);
        out.equal = out.equal && same;
    }
    out.baseline_mean = exact_mean_of(baseline);
    out.other_mean = exact_mean_of(other);
    out.mean = exact_mean_of(differences);
    if (out.n >= 2 && !out.equal) {
        test(differences, scale, out);
    }
    return out;
}

std::vector<double> holm_adjusted(const std::vector<double>& p) {
    std::vector<std::size_t> order(p.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p[i]; });
    std::vector<double> adjusted(p.size());
    double most = 0;
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
        const auto left = static_cast<double>(order.size() - rank);
        most = std::max(most, std::min(1.0, left * p[order[rank]]));
        adjusted[order[rank]] = most;
    }
    return adjusted;
}

}  // namespace berth::report

#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace berth::sim {

/// A sum of many numbers that keeps what rounding loses at each step.
/// Source: A. Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen"
///         (ZAMM 54, 1974).
class CompensatedSum {
public:
    void add(double value) {
        const double next = sum_ + value;
        lost_ += std::abs(sum_) >= std::abs(value) ? (sum_ - next) + value : (value - next) + sum_;
        sum_ = next;
    }
    void add(const CompensatedSum& other) {
        add(other.sum_);
        lost_ += other.lost_;
    }
    [[nodiscard]] double value() const { return sum_ + lost_; }

private:
    double sum_ = 0;
    double lost_ = 0;
};

/// A sample of values of at least 0, counted in buckets: each doubling has the same number of
/// buckets of equal width, so that a value is known up to a fraction of itself. The sum, the sum of
/// squares, the least and the largest value are kept as well.
///
/// Errors: a value is reported with at most `relative_error` of itself too much or too little; 0,
///         the largest value and the mean are exact but for rounding.
/// Cost:   O(log doublings) per value; 4 KiB for each doubling that has values, however many these
///         are. Two samples are merged by adding their counts.
/// Source: C. Masson, J. Rim, H. Lee, "DDSketch" (VLDB 2019), with a floating-point number's own
///         exponent in the logarithm's place, as in HdrHistogram.
class ValueBuckets {
public:
    static constexpr double relative_error = 1.0 / 512;

    /// Values of one bucket, all of which ended or all of which go on.
    struct Count {
        double value = 0;
        std::int64_t weight = 0;
        bool ended = true;
    };

    /// `pivot`: a value near the mean, so that the spread loses nothing to rounding.
    explicit ValueBuckets(double pivot) : pivot_(pivot) {}
    void add(double value, std::int64_t weight, bool ended);
    void add(const ValueBuckets& other);

    /// The counts in ascending order; within a bucket, values that go on come after those that
    /// ended.
    [[nodiscard]] std::vector<Count> counts() const;
    [[nodiscard]] std::int64_t weight() const { return weight_; }
    [[nodiscard]] std::int64_t weight_of_ended() const { return weight_of_ended_; }
    [[nodiscard]] double sum() const { return sum_.value(); }
    [[nodiscard]] double sum_of_ended() const { return sum_of_ended_.value(); }
    /// The standard deviation of the values that ended, of which there is at least one.
    [[nodiscard]] double spread() const;

private:
    static constexpr unsigned bits = 9;  ///< Leading fraction bits of a number that choose its
                                         ///< bucket: 512 buckets per doubling.
    using Doubling = std::array<std::int64_t, std::size_t{1} << bits>;
    using Doublings = std::map<std::uint32_t, Doubling>;  ///< One Doubling per exponent.

    double pivot_;
    Doublings ended_;
    Doublings going_on_;
    double largest_ended_ = 0;
    std::int64_t weight_ = 0;
    std::int64_t weight_of_ended_ = 0;
    CompensatedSum sum_;
    CompensatedSum sum_of_ended_;
    CompensatedSum squares_;  ///< Squared distances from the pivot of the values that ended.
};

}  // namespace berth::sim

#pragma once

#include <cmath>

namespace berth::sim {

/// A sum of many numbers that keeps what rounding takes away at each step.
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

}  // namespace berth::sim

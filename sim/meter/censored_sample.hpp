#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/meter/metric.hpp"
#include "sim/meter/value_buckets.hpp"

namespace berth::sim {

/// A sample of time spans, or of quantities that grow with them. Spans that had not ended when the
/// run did are censored: all that is known is that they are at least as long as they were by then.
///
/// A sample of up to values_max values is exact. A larger one counts its values in ValueBuckets:
/// its percentiles may then be off by ValueBuckets::relative_error.
///
/// Units: a value counts with its weight: pods, jobs, or thousandths of a GPU. Neither is negative.
/// Cost:  16 bytes a value while it is exact.
class CensoredSample {
public:
    static constexpr std::size_t values_max = 1'000'000;

    /// Counts values in buckets from now on, however few there are.
    void count_in_buckets();
    [[nodiscard]] bool counts_in_buckets() const { return buckets_.has_value(); }
    void ended(double value, std::int64_t weight = 1) { keep(value, weight, true); }
    void going_on(double at_least, std::int64_t weight = 1) { keep(at_least, weight, false); }
    /// Counts a job that was dropped and never gets a value. It counts only as never started.
    void never(std::int64_t weight = 1) { never_ += weight; }
    /// Says that the job of a value that goes on, or of one counted by never(), never started.
    void never_started(std::int64_t weight) { never_started_ += weight; }
    void add(const CensoredSample& other);
    /// Takes memory for `values` values at once.
    void reserve(std::size_t values) { values_.reserve(std::min(values, values_max)); }

    /// The mean of the values that ended, and their spread. If some go on, `at_least` is the mean
    /// of all values, in which those that go on count with their lower bounds.
    [[nodiscard]] Metric mean(std::string name) const;
    /// One metric for each of `thousandths`, named `prefix` and `_p50`, `_p95`, ...; `_max` for
    /// 1000.
    ///
    /// Source: the product-limit estimator (Kaplan and Meier, 1958): the least value that, by this
    ///         estimate, at most a share 1 - p exceeds; without censored values, the nearest rank.
    ///         If there is no such value, `at_least` is the nearest rank, where each value that
    ///         goes on counts with its lower bound.
    void add_percentiles(std::vector<Metric>& out,
                         const std::string& prefix,
                         const std::vector<int>& thousandths) const;
    /// The share of the values that are above `limit`, by the same estimate. If it says nothing of
    /// those above, since the values that go on had not come as far, `at_least` is 0.
    [[nodiscard]] Metric share_above(std::string name, double limit) const;
    /// Adds the mean and percentiles of a sample that is not used again.
    void add_statistics(std::vector<Metric>& out,
                        const std::string& prefix,
                        const std::vector<int>& thousandths) &&;

private:
    /// Takes 16 bytes, because there may be a million.
    class Value {
    public:
        Value(double of, std::int64_t weight, bool ended)
            : value(of), count_(ended ? weight : -weight) {}
        double value = 0;
        [[nodiscard]] std::int64_t weight() const { return count_ < 0 ? -count_ : count_; }
        [[nodiscard]] bool ended() const { return count_ >= 0; }
        void add(std::int64_t weight) { count_ += ended() ? weight : -weight; }

    private:
        std::int64_t count_ = 0;  ///< The weight; negative for values that go on.
    };
    void keep(double value, std::int64_t weight, bool ended);
    [[nodiscard]] Metric blank(std::string name) const;
    [[nodiscard]] std::int64_t weight() const;
    [[nodiscard]] std::vector<Value> sorted() const;
    [[nodiscard]] bool is_plain() const;
    void add_ranks(std::vector<Metric>& out,
                   const std::string& prefix,
                   const std::vector<int>& thousandths);

    std::vector<Value> values_;
    std::optional<ValueBuckets> buckets_;  ///< Once it exists, it holds all values.
    std::int64_t never_ = 0;
    std::int64_t never_started_ = 0;
};

}  // namespace berth::sim

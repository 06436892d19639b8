#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/meter/metric.hpp"

namespace berth::sim {

/// Spans of time, or what grows with them, of which some had not ended when the run did. Those are
/// censored: all that is known of them is that they are at least as long as they were by then.
///
/// Units: a value counts with its weight: pods, jobs, or thousandths of a GPU.
class CensoredSample {
public:
    void ended(double value, std::int64_t weight = 1) { keep(value, weight, true); }
    void going_on(double at_least, std::int64_t weight = 1) { keep(at_least, weight, false); }
    /// For what will never have a value: a job that was dropped. It counts as never started alone.
    void never(std::int64_t weight = 1) { never_ += weight; }
    /// Says of a value that goes on, or of one of never(), that its job never started.
    void never_started(std::int64_t weight) { never_started_ += weight; }
    void add(const CensoredSample& other);

    /// The mean of the values that ended, and their spread. Where some go on, `at_least` is the
    /// mean of all, each that goes on with what it is at least.
    [[nodiscard]] Metric mean(std::string name) const;
    /// One metric for each of `thousandths`, called `prefix` and `_p50`, `_p95`; `_max` for 1000.
    ///
    /// Source: the product-limit estimator (Kaplan and Meier, 1958): the least value at which it
    ///         says that at most a share 1 - p is longer; without censored values, nearest rank.
    ///         Where there is none, `at_least` is the nearest rank with each value that goes on
    ///         at its least.
    void add_percentiles(std::vector<Metric>& out,
                         const std::string& prefix,
                         const std::vector<int>& thousandths) const;

private:
    struct Value {
        double value = 0;
        std::int64_t weight = 0;
        bool ended = true;
    };
    void keep(double value, std::int64_t weight, bool ended);
    [[nodiscard]] Metric blank(std::string name) const;

    std::vector<Value> values_;
    std::int64_t never_ = 0;
    std::int64_t never_started_ = 0;
};

}  // namespace berth::sim

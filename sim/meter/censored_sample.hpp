#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/meter/metric.hpp"

namespace berth::sim {

/// A sample of spans of time, or of what grows with them. Spans that had not ended when the run did
/// are censored: all that is known is that they are at least as long as they were by then.
///
/// Units: a value counts with its weight: pods, jobs, or thousandths of a GPU.
class CensoredSample {
public:
    void ended(double value, std::int64_t weight = 1) { keep(value, weight, true); }
    void going_on(double at_least, std::int64_t weight = 1) { keep(at_least, weight, false); }
    /// For a job that was dropped and never gets a value. It counts only as never started.
    void never(std::int64_t weight = 1) { never_ += weight; }
    /// Says that the job of a value that goes on, or of one of never(), never started.
    void never_started(std::int64_t weight) { never_started_ += weight; }
    void add(const CensoredSample& other);

    /// The mean of the values that ended, and their spread. If some go on, `at_least` is the mean
    /// of all, in which those count with their lower bounds.
    [[nodiscard]] Metric mean(std::string name) const;
    /// One metric for each of `thousandths`, called `prefix` and `_p50`, `_p95`; `_max` for 1000.
    ///
    /// Source: the product-limit estimator (Kaplan and Meier, 1958): the least value that, by this
    ///         estimate, at most a share 1 - p exceeds; without censored values, the nearest rank.
    ///         If there is no such value, `at_least` is the nearest rank, where each value that
    ///         goes on counts with its lower bound.
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

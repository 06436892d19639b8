#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "experiments/program/results/run_directory.hpp"

namespace berth::report {

/// Student's t for a two-sided 95% interval; 0 for no degrees of freedom.
///
/// Both are the nearest double, the same with every C library.
/// Cost: O(degrees), some tens of microseconds for few; a thread keeps the last quantile.
[[nodiscard]] double student_t95(std::size_t degrees);
/// How likely chance alone is to bring a `t` that far from 0, or farther, either way.
[[nodiscard]] double student_p(double t, std::size_t degrees);

/// 1, 2 or 5 times a power of ten, not below `width`, which is above 0.
[[nodiscard]] double round_step(double width);

/// Equal classes of [from, from + width), ...; `whole` when each class is one whole number, and
/// then `from` is that of the first.
struct Histogram {
    double from = 0;
    double width = 1;
    bool whole = false;
    std::vector<std::size_t> counts;
};

/// Classes with round edges, 60 at most: whole numbers of a small range get one class each, other
/// values as many as the Freedman-Diaconis rule wants. `values` may have any order.
[[nodiscard]] Histogram make_histogram(std::vector<double> values);

/// What a distribution is summed up by. Quantiles interpolate between neighbours.
struct Distribution {
    std::string name;
    std::size_t count = 0;
    double mean = 0;
    double sd = 0;
    /// Half of the width of the mean's 95% confidence interval by Student's t, of two replications
    /// or more. Pods and groups of one run have none: they depend on one another.
    std::optional<double> ci95;
    double min = 0;
    double lower_quartile = 0;
    double median = 0;
    double upper_quartile = 0;
    double p95 = 0;
    double max = 0;
    Histogram histogram;
};

/// The mean, and the standard deviation of a sample (by n - 1): 0 of one value.
struct Spread {
    double mean = 0;
    double sd = 0;
};
/// Summed in the order given. `values` must not be empty.
[[nodiscard]] Spread spread_of(const std::vector<double>& values);
/// Of ascending values; between two of them what lies between.
[[nodiscard]] double quantile(const std::vector<double>& sorted, double share);

/// Without an interval. `samples` must not be empty.
[[nodiscard]] Distribution describe(const Samples& samples);
/// One value a replication, so that the values are independent: with an interval, from two on.
[[nodiscard]] Distribution describe_replications(const Samples& samples);

/// A cumulative distribution: `share[i]` of the samples are at most `value[i]`, and both ascend.
/// The last share is below 1 where the longest have not ended: nothing is known beyond that value.
struct Cumulative {
    std::vector<double> value;
    std::vector<double> share;
};

/// With all different values when they are few enough; otherwise about `points` of them, evenly by
/// rank, and closer to each other towards the greatest. `samples` must have values.
/// Source: the product-limit estimator (Kaplan and Meier, 1958): what goes on counts as longer than
///         all that ended before it. Where nothing goes on, the shares are those of counting.
[[nodiscard]] Cumulative make_cumulative(const Samples& samples, std::size_t points);

/// At most 2 * `buckets` + 2 points that keep the least and the greatest value of each bucket of
/// rows, by column; a series that is short enough stays as it is.
[[nodiscard]] ReplicationSeries downsample(const ReplicationSeries& series, std::size_t buckets);

/// All replications on one grid of times: each holds its last value until its next sample.
/// `mean`, `low` and `high` are by column, NaN where no replication has a value yet.
struct SeriesBand {
    std::vector<double> time_s;
    std::vector<std::vector<double>> mean;
    std::vector<std::vector<double>> low;
    std::vector<std::vector<double>> high;
};
[[nodiscard]] SeriesBand join_replications(const TimeSeries& series, std::size_t points_max);

/// What a waiting pod's message says, cut into its causes: of `0/480 nodes are available: 300
/// Insufficient cpu, 180 node(s) were full.` the texts `Insufficient cpu` and `node(s) were full`.
/// Of a quota's message the amounts are left out: `the quota team-a did not admit it`. A message of
/// another form is one cause.
[[nodiscard]] std::vector<std::string> causes_of(const std::string& message);

}  // namespace berth::report

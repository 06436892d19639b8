#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "experiments/program/results/run_directory.hpp"

namespace berth::report {

/// The quantile of Student's t for a two-sided 95% interval; 0 for no degrees of freedom.
///
/// This and student_p() return the nearest double, the same with every C library.
/// Cost: O(degrees), some tens of microseconds for few degrees. Each thread keeps the last
///       quantile.
[[nodiscard]] double student_t95(std::size_t degrees);
/// The probability that chance alone brings a `t` at least this far from 0, in either direction.
[[nodiscard]] double student_p(double t, std::size_t degrees);

/// The smallest 1, 2 or 5 times a power of ten that is not below `width`, which is above 0.
[[nodiscard]] double round_step(double width);

/// Equal classes of [from, from + width), and so on. `whole` if each class is one whole number;
/// `from` is then the first of them.
struct Histogram {
    double from = 0;
    double width = 1;
    bool whole = false;
    std::vector<std::size_t> counts;
};

/// Makes at most 60 classes with round edges. Whole numbers of a small range get one class each;
/// for other values, the Freedman-Diaconis rule gives the number of classes. `values` may have any
/// order.
[[nodiscard]] Histogram make_histogram(std::vector<double> values);

/// The summary of a distribution. Quantiles interpolate between neighbours.
struct Distribution {
    std::string name;
    std::size_t count = 0;
    double mean = 0;
    double sd = 0;
    /// Half the width of the mean's 95% confidence interval by Student's t, for two or more
    /// replications. Pods and groups of one run have none, because they depend on one another.
    std::optional<double> ci95;
    double min = 0;
    double lower_quartile = 0;
    double median = 0;
    double upper_quartile = 0;
    double p95 = 0;
    double max = 0;
    Histogram histogram;
};

/// The mean, and the sample standard deviation (with n - 1): 0 for one value.
struct Spread {
    double mean = 0;
    double sd = 0;
};
/// Sums the values in the given order. `values` must not be empty.
[[nodiscard]] Spread spread_of(const std::vector<double>& values);
/// A quantile of ascending values, interpolated between neighbours.
[[nodiscard]] double quantile(const std::vector<double>& sorted, double share);

/// Describes samples without an interval. `samples` must not be empty.
[[nodiscard]] Distribution describe(const Samples& samples);
/// Describes one value per replication. These are independent, so there is an interval from two on.
[[nodiscard]] Distribution describe_replications(const Samples& samples);

/// A cumulative distribution: `share[i]` of the samples are at most `value[i]`, and both ascend.
/// The last share is below 1 if the longest samples have not ended: nothing is known beyond that
/// value.
struct Cumulative {
    std::vector<double> value;
    std::vector<double> share;
};

/// Computes the distribution with all different values if they are few enough; otherwise with about
/// `points` of them, evenly by rank, and closer to each other towards the greatest. `samples` must
/// have values.
/// Source: the product-limit estimator (Kaplan and Meier, 1958): a value that goes on counts as
///         longer than all that ended before it. If no value goes on, the shares are plain
///         fractions.
[[nodiscard]] Cumulative make_cumulative(const Samples& samples, std::size_t points);

/// At most 2 * `buckets` + 2 points, which keep the least and the greatest value of each bucket of
/// rows in each column. A series that is short enough stays as it is.
[[nodiscard]] ReplicationSeries downsample(const ReplicationSeries& series, std::size_t buckets);

/// All replications on one grid of times, where each replication holds its last value until its
/// next sample. `mean`, `low` and `high` are by column, and NaN where no replication has a value
/// yet.
struct SeriesBand {
    std::vector<double> time_s;
    std::vector<std::vector<double>> mean;
    std::vector<std::vector<double>> low;
    std::vector<std::vector<double>> high;
};
[[nodiscard]] SeriesBand join_replications(const TimeSeries& series, std::size_t points_max);

/// Splits a waiting pod's message into its causes: for `0/480 nodes are available: 300 Insufficient
/// cpu, 180 node(s) were full.` the texts `Insufficient cpu` and `node(s) were full`. A quota's
/// message loses its amounts: `the quota team-a did not admit it`. A message of another form is one
/// cause.
[[nodiscard]] std::vector<std::string> causes_of(const std::string& message);

}  // namespace berth::report

#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "experiments/program/results/arrival_series.hpp"
#include "experiments/program/results/run_directory.hpp"
#include "experiments/program/results/statistics.hpp"
#include "experiments/program/support/typed_json.hpp"

namespace berth::report {

/// The parts of a run's data that the figures of the page and of `berth plot` are drawn from.

[[nodiscard]] std::vector<Is<"Metric">> metrics_data(const RunDirectory& run);

/// `of`: a replication, group or pod. `going_on`: how many had not ended and are not in `d`.
[[nodiscard]] Is<"Distribution"> distribution_data(std::string_view of,
                                                   const Distribution& d,
                                                   std::size_t going_on);

/// The cumulative distributions of the pods of all replications together.
[[nodiscard]] std::vector<Is<"Cumulative">> cumulatives_data(const RunDirectory& run,
                                                             std::size_t points);

/// A series in which at most `shown_max` replications are shown one by one. If it is 0, a single
/// replication is shown all the same, and several only by their mean and range.
[[nodiscard]] Maybe<"WrittenSeries"> series_data(const TimeSeries& all,
                                                 std::size_t values_max,
                                                 std::size_t shown_max);

/// The parts of the cluster and their places, without any data about pods.
[[nodiscard]] Is<"ClusterShape"> cluster_shape(const Cluster& cluster);
/// The same, with all views.
[[nodiscard]] Is<"Cluster"> cluster_data(const Cluster& cluster);

[[nodiscard]] Is<"MiddleBand"> band_data(const MiddleBand& band);
/// The GPUs that were left while the workload arrived; null if this was not measured.
[[nodiscard]] Maybe<"Arrival"> arrival_data(const RunDirectory& run);

}  // namespace berth::report

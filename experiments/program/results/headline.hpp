#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/program/results/run_directory.hpp"

namespace berth::report {

/// One of the few numbers that answer the question of a run.
struct HeadlineNumber {
    std::string metric;  ///< The metric's name in summary.json.
    std::string label;   ///< `mean wait of a job`
    /// Such as `24.8 min` or `68.2 %`, with as many digits as the interval justifies.
    std::string value;
    /// Such as `12.8 min`: half of the 95 % interval; empty: there is no interval.
    std::string interval;
    std::string meaning;  ///< One sentence, shown when the reader points at the number.
};

/// The four to six numbers at the top of a run's page and at the end of `berth run`: how much of
/// the work started, how long it waited, how much of the GPUs (or else of the CPUs) was used, what
/// left most of them idle, and numbers for the kind of run. There are fewer if the run measured
/// fewer.
[[nodiscard]] std::vector<HeadlineNumber> headline(const std::vector<MetricSummary>& metrics);

/// Whether anything took time: a run that only places pods has neither waits nor an end.
[[nodiscard]] bool takes_time(const std::vector<MetricSummary>& metrics);

/// Any metric as a number to quote, with `label`.
/// Shape: the metric has a mean or an `at_least`.
[[nodiscard]] HeadlineNumber quoted(const MetricSummary& metric, std::string label);

/// A value in a unit for people: seconds as s, min, h or d, and shares as %. With an interval, it
/// has as many digits as the interval justifies, otherwise three; `half` has the same unit as the
/// value.
struct ValueText {
    std::string value;
    std::string half;  ///< Empty if there is no interval.
};
[[nodiscard]] ValueText value_text(std::string_view unit,
                                   double value,
                                   std::optional<double> half = std::nullopt);

/// Such as `24.8 ± 12.8 min`, or `24.8 min` without an interval.
[[nodiscard]] std::string with_interval(const HeadlineNumber& number);

}  // namespace berth::report

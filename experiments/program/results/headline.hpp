#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/program/results/run_directory.hpp"

namespace berth::report {

/// One of the few numbers that answer what a run was made for.
struct HeadlineNumber {
    std::string metric;    ///< Its name in summary.json.
    std::string label;     ///< `mean wait of a job`
    std::string value;     ///< `24.8 min`, `68.2 %`; with the digits that the interval carries.
    std::string interval;  ///< `12.8 min`: half of the 95 % interval; empty where there is none.
    std::string meaning;   ///< One sentence, for those who point at it.
};

/// The four to six numbers of a run that its page begins with and `berth run` ends with: how much
/// of the work started, how long it waited, how far the GPUs were used (or else the CPUs), what
/// left most of them idle, and what the run's kind adds. Fewer where the run measured fewer.
[[nodiscard]] std::vector<HeadlineNumber> headline(const std::vector<MetricSummary>& metrics);

/// Whether anything took time: a run of placements alone has neither waits nor an end.
[[nodiscard]] bool takes_time(const std::vector<MetricSummary>& metrics);

/// Any metric as a number to quote, under `label`.
/// Shape: it has a mean or an `at_least`.
[[nodiscard]] HeadlineNumber quoted(const MetricSummary& metric, std::string label);

/// A value in the unit that people read: seconds as s, min, h or d, shares as %. With an interval,
/// the digits that it carries, else three; `half` is in the same unit as the value.
struct ValueText {
    std::string value;
    std::string half;  ///< Empty without an interval.
};
[[nodiscard]] ValueText value_text(std::string_view unit,
                                   double value,
                                   std::optional<double> half = std::nullopt);

/// `24.8 ± 12.8 min`, or `24.8 min` without an interval.
[[nodiscard]] std::string with_interval(const HeadlineNumber& number);

}  // namespace berth::report

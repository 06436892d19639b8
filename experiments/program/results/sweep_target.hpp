#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "experiments/program/results/sweep_directory.hpp"

namespace berth::report {

/// A requirement for a sweep's points: `job_wait_s_p95<=10m`, `success_rate>=95%`.
struct SweepTarget {
    std::string metric;
    bool at_most = true;
    double bound = 0;  ///< The bound, in the metric's own unit.
};

/// Reads a requirement of any metric.
/// Returns: nothing if the text is none; `why` then says what was found and what is expected.
[[nodiscard]] std::optional<SweepTarget> parse_target(const std::string& text, std::string& why);

/// The unit of a metric, such as `s`; empty for a plain number and for an unknown metric.
[[nodiscard]] std::string_view metric_unit(const std::string& metric);

/// The wait in a metric such as `job_wait_over_10m_share[team-a]`, which a run has if its record
/// lists it: `10m`; empty for any other metric.
[[nodiscard]] std::string wait_of_share(std::string_view metric);

/// Errors: core::InputError for a text without `<=` or `>=`, for a metric that the sweep does not
///         have, with the nearest name, and for a bound that is not a value of the metric.
[[nodiscard]] SweepTarget read_target(const SweepDirectory& sweep, const std::string& text);

/// A line of text: how many points meet a target or, if none does, which is nearest and what to do.
/// A point meets the target if the worse end of its interval does; `met` is set to whether any
/// point does.
[[nodiscard]] std::string target_text(const SweepDirectory& sweep,
                                      const std::string& text,
                                      bool& met);

}  // namespace berth::report

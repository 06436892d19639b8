#pragma once

#include <string>

#include "experiments/program/results/sweep_directory.hpp"

namespace berth::report {

/// What a sweep's points are asked for: `job_wait_s_p95<=10m`, `success_rate>=95%`.
struct SweepTarget {
    std::string metric;
    bool at_most = true;
    double bound = 0;  ///< In the metric's own unit.
};

/// Errors: core::InputError for a text without `<=` or `>=`, for a metric that the sweep does not
///         have, with the nearest, and for a bound that is no value of the metric.
[[nodiscard]] SweepTarget read_target(const SweepDirectory& sweep, const std::string& text);

/// A line: how many points meet a target, or, where none does, which is nearest and what to do. A
/// point meets it where the worse end of its interval does; `met` says whether one does.
[[nodiscard]] std::string target_text(const SweepDirectory& sweep,
                                      const std::string& text,
                                      bool& met);

}  // namespace berth::report

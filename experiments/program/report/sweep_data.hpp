#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "experiments/program/results/sweep_directory.hpp"

namespace berth::report {

/// How much of a sweep goes into one page.
struct SweepPageLimits {
    std::size_t values = 1'500'000;  ///< Over all metrics; 5.3 bytes each.
    /// Of points against baselines, of which there is at least one; tens of microseconds each.
    std::size_t tests = 50'000;
};

/// The data block of a sweep's page: {"schema": "berth.page/v1", "runs": [], "sweep": {...}}. A
/// metric is one number when it is the same everywhere; otherwise its values are floats (little
/// endian, base64), one a point when replications do not differ, or one a point and replication.
/// If that is too much, the replications are summed up (`summed`): n, mean, ci95, sd, min,
/// quartiles, max of each point. What does not fit even so is left out and named: metrics of quotas
/// first, then the last ones.
///
/// Errors: core::InputError for a sweep without axes or metrics.
/// `against` has what berth compare says of each point and a baseline, by compare_tables; `target`
/// is what the page asks of the points first.
[[nodiscard]] nlohmann::ordered_json make_sweep_data(const SweepDirectory& sweep,
                                                     const SweepPageLimits& limits = {},
                                                     const std::string& target = {});

}  // namespace berth::report

#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "experiments/program/results/sweep_directory.hpp"
#include "experiments/program/support/typed_json.hpp"

namespace berth::report {

/// Limits for the data of a sweep on one page.
struct SweepPageLimits {
    std::size_t values = 1'500'000;  ///< Values of all metrics, 5.3 bytes each.
    /// Comparisons of points with baselines, of which there is at least one; each takes tens of
    /// microseconds.
    std::size_t tests = 50'000;
};

/// The data block of a sweep's page. A
/// metric that is the same everywhere is one number. Otherwise its values are floats (little
/// endian, base64): one per point if replications do not differ, or one per point and replication.
/// If that is too much, the replications are summed up (`summed`): n, mean, ci95, sd, min,
/// quartiles, max of each point. Metrics that do not fit even then are left out and named: first
/// those of quotas, then the last ones.
///
/// Errors: core::InputError for a sweep without axes or metrics.
/// `against` has the verdicts of berth compare on each point and a baseline, from compare_tables();
/// `target` is the requirement that the page begins with.
[[nodiscard]] Is<"WrittenPage"> make_sweep_data(const SweepDirectory& sweep,
                                                const SweepPageLimits& limits = {},
                                                const std::string& target = {});

}  // namespace berth::report

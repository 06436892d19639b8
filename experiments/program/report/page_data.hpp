#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <vector>

#include "experiments/program/results/run_directory.hpp"

namespace berth::report {

/// How much of the runs goes into one page.
struct PageLimits {
    std::size_t cells = 20'000;           ///< Over all runs; more are joined to racks.
    std::size_t series_values = 300'000;  ///< Over all runs.
    std::size_t replications_shown = 5;  ///< Series of their own; the others are in mean and range.
    std::size_t reasons = 20;            ///< Whole messages of waiting pods.
    std::size_t quota_values = 600'000;  ///< Of the quotas' series, over all runs.
    std::size_t quotas_shown = 200;      ///< Series beside the parents', when not all fit.
    std::size_t quota_marks = 3'000;     ///< Evictions, and changes, over all runs.
    std::size_t outage_hits = 3'000;     ///< Outages that took places of jobs, over all runs.
    std::size_t device_pods = 20'000;    ///< In the pictures of servers, over all runs.
    std::size_t gantt_pods = 120'000;    ///< In the pictures of pods over time, over all runs.
    std::size_t film_values =
        400'000;  ///< In the pictures of the cluster over time, over all runs.
    std::size_t cumulative_points = 240;  ///< Of one curve.
};

/// The data block of the report page: {"schema": "berth.page/v1", "runs": [...]}. Numbers are
/// rounded to six digits, so that equal runs give equal bytes on every machine.
/// `comparison` is of these runs; null where there is none. A page with an `index` begins with a
/// list of the runs and compares none with another; so does one of several runs with claims.
[[nodiscard]] nlohmann::ordered_json make_page_data(
    std::vector<RunDirectory> runs,
    const PageLimits& limits = {},
    const nlohmann::ordered_json& comparison = nullptr,
    bool index = false);

}  // namespace berth::report

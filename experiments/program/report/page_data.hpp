#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <vector>

#include "experiments/program/results/run_directory.hpp"
#include "experiments/program/support/typed_json.hpp"

namespace berth::report {

/// Limits for the data of the runs on one page.
struct PageLimits {
    /// Cells of all runs; if there are more, they are joined into racks.
    std::size_t cells = 20'000;
    std::size_t series_values = 300'000;  ///< Values of time series of all runs.
    /// Replications that are shown one by one; the others are only in the mean and range.
    std::size_t replications_shown = 5;
    std::size_t reasons = 20;            ///< Whole messages of waiting pods.
    std::size_t quota_values = 600'000;  ///< Values of the quotas' series of all runs.
    std::size_t quotas_shown = 200;      ///< Quotas with series besides parents, if not all fit.
    std::size_t quota_marks = 3'000;     ///< Evictions of all runs, and also changes of quotas.
    std::size_t outage_hits = 3'000;     ///< Outages of all runs that took places of jobs.
    std::size_t device_pods = 20'000;    ///< Pods in the pictures of servers, over all runs.
    std::size_t gantt_pods = 120'000;    ///< Pods in the pictures of pods over time, over all runs.
    std::size_t film_values =
        400'000;  ///< Values in the pictures of the cluster over time, over all runs.
    std::size_t cumulative_points = 240;  ///< Points of a curve.
};

/// The data block of the report page. Numbers are
/// rounded to six digits, so that equal runs give equal bytes on every machine. `comparison`
/// compares these runs; null: there is none. A page with an `index` begins with a list of the runs
/// and compares none of them; so does a page of several runs with claims.
[[nodiscard]] Is<"WrittenPage"> make_page_data(std::vector<RunDirectory> runs,
                                               const PageLimits& limits = {},
                                               const nlohmann::ordered_json& comparison = nullptr,
                                               bool index = false);

/// The data of a page that shows no runs, but what the caller adds.
[[nodiscard]] Is<"WrittenPage"> page_without_runs();

}  // namespace berth::report

#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/program/report/quota_page.hpp"
#include "experiments/program/results/run_directory.hpp"
#include "experiments/program/results/scheduler_results.hpp"

namespace berth::report {

/// What a scheduler adds to the page of a run. Each function answers for results of another
/// scheduler as if there were none.
struct SchedulerPage {
    std::string_view key;  ///< Its data's key among the data of a run.
    /// The data that its sections draw; null: it has nothing to show.
    nlohmann::ordered_json (*data)(const SchedulerResults& results, const QuotaPageLimits& limits);
    /// What it did and what held up its jobs, in sentences.
    std::vector<std::string> (*limits)(const RunDirectory& run, const SchedulerResults& results);
    /// Whether these sentences say why jobs waited at the end.
    bool (*says_why_jobs_wait)(const SchedulerResults& results);
};

/// Those of all schedulers that have a folder `page`, in the order of schedulers/schedulers.def.
[[nodiscard]] std::span<const SchedulerPage> scheduler_pages();

}  // namespace berth::report

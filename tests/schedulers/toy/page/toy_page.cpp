#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiments/program/report/scheduler_page.hpp"
#include "tests/schedulers/toy/tables/toy_results.hpp"

namespace berth::report {

extern constinit const SchedulerPage toy_page;
constinit const SchedulerPage toy_page{
    .key = "toy",
    .data =
        [](const SchedulerResults& results, const QuotaPageLimits& /*limits*/) {
            const auto* toy = dynamic_cast<const ToyResults*>(&results);
            return toy == nullptr ? nlohmann::ordered_json()
                                  : nlohmann::ordered_json{{"tickets", toy->tickets}};
        },
    .limits =
        [](const RunDirectory& /*run*/, const SchedulerResults& results) {
            const auto* toy = dynamic_cast<const ToyResults*>(&results);
            return toy == nullptr
                       ? std::vector<std::string>()
                       : std::vector{fmt::format("There were {} tickets.", toy->tickets)};
        },
    .says_why_jobs_wait = [](const SchedulerResults& /*results*/) { return false; }};

}  // namespace berth::report

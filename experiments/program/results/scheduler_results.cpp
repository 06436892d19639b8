#include "experiments/program/results/scheduler_results.hpp"

#include <utility>

namespace berth::report {

using Read = std::shared_ptr<const SchedulerResults>(const std::filesystem::path& directory,
                                                     std::int64_t replications,
                                                     std::optional<double> end_s);

#define BERTH_SCHEDULER(name) Read read_##name##_results;
#include "schedulers/tables.def"
#undef BERTH_SCHEDULER

std::vector<std::shared_ptr<const SchedulerResults>> read_scheduler_results(
    const std::filesystem::path& directory,
    std::int64_t replications,
    std::optional<double> end_s) {
    constexpr Read* readers[] = {
#define BERTH_SCHEDULER(name) &read_##name##_results,
#include "schedulers/tables.def"
#undef BERTH_SCHEDULER
    };
    std::vector<std::shared_ptr<const SchedulerResults>> all;
    for (Read* const read : readers) {
        if (auto results = read(directory, replications, end_s)) {
            all.push_back(std::move(results));
        }
    }
    return all;
}

}  // namespace berth::report

#include "experiments/program/results/scheduler_results.hpp"

#include <utility>

namespace berth::report {

#define BERTH_SCHEDULER(name) extern const SchedulerTables name##_tables;
#include "schedulers/tables.def"
#undef BERTH_SCHEDULER

std::span<const SchedulerTables> scheduler_tables() {
    static const SchedulerTables all[] = {
#define BERTH_SCHEDULER(name) name##_tables,
#include "schedulers/tables.def"
#undef BERTH_SCHEDULER
    };
    return all;
}

std::vector<std::shared_ptr<const SchedulerResults>> read_scheduler_results(
    const std::filesystem::path& directory,
    std::int64_t replications,
    std::optional<double> end_s) {
    std::vector<std::shared_ptr<const SchedulerResults>> all;
    for (const SchedulerTables& one : scheduler_tables()) {
        if (auto results = one.read(directory, replications, end_s)) {
            all.push_back(std::move(results));
        }
    }
    return all;
}

}  // namespace berth::report

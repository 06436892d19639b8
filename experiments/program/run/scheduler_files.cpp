#include "experiments/program/run/scheduler_files.hpp"

#include <algorithm>
#include <iterator>

namespace berth::experiments {

#define BERTH_SCHEDULER(name) \
    std::vector<SchedulerFile> name##_files(const sim::Settings& settings);
#include "schedulers/rows.def"
#undef BERTH_SCHEDULER

std::vector<SchedulerFile> scheduler_files(const sim::Settings& settings) {
    std::vector<SchedulerFile> all;
#define BERTH_SCHEDULER(name) std::ranges::move(name##_files(settings), std::back_inserter(all));
#include "schedulers/rows.def"
#undef BERTH_SCHEDULER
    return all;
}

}  // namespace berth::experiments

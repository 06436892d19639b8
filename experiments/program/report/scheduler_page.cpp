#include "experiments/program/report/scheduler_page.hpp"

namespace berth::report {

#define BERTH_SCHEDULER(name) extern const SchedulerPage name##_page;
#include "schedulers/page.def"
#undef BERTH_SCHEDULER

std::span<const SchedulerPage> scheduler_pages() {
    static const SchedulerPage all[] = {
#define BERTH_SCHEDULER(name) name##_page,
#include "schedulers/page.def"
#undef BERTH_SCHEDULER
    };
    return all;
}

}  // namespace berth::report

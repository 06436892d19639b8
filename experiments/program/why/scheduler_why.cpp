#include "experiments/program/why/scheduler_why.hpp"

namespace berth::experiments {

#define BERTH_SCHEDULER(name) extern const SchedulerWhy name##_why;
#include "schedulers/why.def"
#undef BERTH_SCHEDULER

std::span<const SchedulerWhy> scheduler_whys() {
    static const SchedulerWhy all[] = {
#define BERTH_SCHEDULER(name) name##_why,
#include "schedulers/why.def"
#undef BERTH_SCHEDULER
    };
    return all;
}

}  // namespace berth::experiments

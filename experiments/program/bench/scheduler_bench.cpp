#include "experiments/program/bench/scheduler_bench.hpp"

namespace berth::experiments {

#define BERTH_SCHEDULER(name) extern const SchedulerBench name##_bench;
#include "schedulers/bench.def"
#undef BERTH_SCHEDULER

std::span<const SchedulerBench> scheduler_benches() {
    static const SchedulerBench all[] = {
#define BERTH_SCHEDULER(name) name##_bench,
#include "schedulers/bench.def"
#undef BERTH_SCHEDULER
    };
    return all;
}

}  // namespace berth::experiments

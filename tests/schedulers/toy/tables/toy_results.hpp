#pragma once

#include <cstdint>

#include "experiments/program/results/scheduler_results.hpp"

namespace berth::report {

/// The row of tickets.csv.
struct ToyResults final : SchedulerResults {
    std::int64_t tickets = 0;
};

}  // namespace berth::report

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "schedulers/rounds/run/lease_planner.hpp"

namespace berth::sim {

/// Plans rounds as a recorded schedule has them. A job that goes on after its last row, or has
/// none, keeps its GPUs as long as no row has them, or else gets the lowest free ones.
[[nodiscard]] std::unique_ptr<LeasePlanner> make_recorded_planner(
    const std::vector<RecordedLease>& recorded, std::int64_t gpus);

}  // namespace berth::sim

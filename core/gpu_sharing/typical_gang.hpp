#pragma once

#include <cstdint>

namespace berth::core {

/// Gangs that a workload has, by how many GPUs they take.
struct TypicalGang {
    std::int64_t gpus = 0;
    std::int64_t weight = 0;
};

}  // namespace berth::core

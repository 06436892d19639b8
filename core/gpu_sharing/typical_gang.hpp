#pragma once

#include <cstdint>

namespace berth::core {

/// The gangs of a workload that take the same number of GPUs.
struct TypicalGang {
    std::int64_t gpus = 0;
    std::int64_t weight = 0;
};

}  // namespace berth::core

#pragma once

#include "core/gpu_shares/gpu_sets.hpp"
#include "core/tree/device_names.hpp"

namespace berth::core {

/// GPUs that a pod got on its server, and how much of each.
struct GpuGrant {
    DeviceMask devices = 0;
    GpuMilli milli = 0;

    friend bool operator==(const GpuGrant&, const GpuGrant&) = default;
};

}  // namespace berth::core

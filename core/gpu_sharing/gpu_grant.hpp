#pragma once

#include "core/device_allocator/device_names.hpp"
#include "core/gpu_sharing/gpu_sets.hpp"

namespace berth::core {

/// GPUs that a pod got on its server, and how much of each.
struct GpuGrant {
    DeviceMask devices = 0;
    GpuMilli milli = 0;

    friend bool operator==(const GpuGrant&, const GpuGrant&) = default;
};

}  // namespace berth::core

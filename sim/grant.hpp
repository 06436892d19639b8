#pragma once

#include "core/gpu_sharing/gpu_shares.hpp"
#include "sim/server_devices.hpp"
#include "sim/server_providers.hpp"

namespace berth::sim {

/// What one member got inside its server: what its run gives out of the three.
struct Grant {
    DeviceGrant devices = nullptr;
    ProviderGrant providers{};
    core::GpuGrant gpus{};

    friend bool operator==(const Grant&, const Grant&) = default;
};

}  // namespace berth::sim

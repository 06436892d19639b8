#pragma once

#include <memory>
#include <vector>

#include "core/gpu_shares/gpu_request.hpp"

namespace berth::core {
struct MachineAnswer;
}

namespace berth::sim {

struct ProviderUse;

/// Which devices one pod got.
using DeviceGrant = const core::MachineAnswer*;
/// What one pod took of which providers.
using ProviderGrant = std::shared_ptr<const ProviderUse>;

/// What one member got inside its server: the one of the three that its run gives out.
struct Grant {
    DeviceGrant devices = nullptr;
    ProviderGrant providers{};
    core::GpuGrant gpus{};

    friend bool operator==(const Grant&, const Grant&) = default;
};

/// What members get inside servers: by server, as these are listed beside it, then by member.
using PlannedGrants = std::vector<std::vector<Grant>>;

}  // namespace berth::sim

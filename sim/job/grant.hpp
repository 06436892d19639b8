#pragma once

#include <memory>
#include <vector>

#include "core/gpu_shares/gpu_request.hpp"

namespace berth::core {
struct MachineAnswer;
}

namespace berth::sim {

struct ProviderUse;

/// The devices that one pod got.
using DeviceGrant = const core::MachineAnswer*;
/// The amounts that one pod took from each provider.
using ProviderGrant = std::shared_ptr<const ProviderUse>;

/// What one member got inside its server. A run gives out only one of the three kinds.
struct Grant {
    DeviceGrant devices = nullptr;
    ProviderGrant providers{};
    core::GpuGrant gpus{};

    friend bool operator==(const Grant&, const Grant&) = default;
};

/// What members get inside their servers: by server, in the order of a list of servers beside it,
/// then by member.
using PlannedGrants = std::vector<std::vector<Grant>>;

}  // namespace berth::sim

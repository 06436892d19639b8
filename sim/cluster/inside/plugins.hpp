#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/gpu_sharing/typical_pods.hpp"
#include "core/machine_allocators/machine_rules.hpp"

namespace berth::sim {

/// reserve: which devices of its server a pod gets. It also filters: a server on which it would
/// have none to give is not considered.
struct DevicePlugin {
    std::string allocator;  ///< One of core::machine_allocators().
    core::MachineRules rules;
    std::int64_t weight = 0;  ///< Of its score among those of the score plug-ins.
};

/// reserve: GPUs are shared by thousandths, and counted device by device.
struct GpuPlugin {
    /// One of core::gpu_policies() or tree_policies(), instead of the score plug-ins; empty: these
    /// choose the server, and a share goes to the device with the least free.
    std::string policy;
    std::vector<core::TypicalGang> gangs{};            ///< Of a tree policy that asks for them.
    std::shared_ptr<const core::TypicalPods> typical;  ///< Or nullptr: fragmentation is unknown.
    /// Servers that a policy finds equally good go by a random order, not by the tree's.
    bool ties_at_random = false;
    std::uint64_t seed = 0;  ///< The replication's; the policy and ties draw from it by name.
};

/// Which of its allocation candidates on a server a pod takes.
enum class CandidateChoice : std::uint8_t {
    first,   ///< The one that the search finds first, going by the providers' order.
    pack,    ///< The one that leaves its providers fullest, by the shares then in use.
    spread,  ///< The one that leaves them emptiest.
};

/// filter: a pod goes to a server with an allocation candidate for it, and takes one.
struct CandidatePlugin {
    CandidateChoice choice = CandidateChoice::first;
};

/// What a profile asks for inside servers; nothing: they hold amounts alone.
///
/// Shape: at most one of them.
struct InsidePlugins {
    std::optional<DevicePlugin> devices;
    std::optional<CandidatePlugin> candidates;
    std::optional<GpuPlugin> gpus;
};

}  // namespace berth::sim

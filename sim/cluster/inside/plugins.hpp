#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/gpu_sharing/typical_pods.hpp"
#include "core/machine_allocators/machine_rules.hpp"

namespace berth::sim {

/// reserve: chooses which devices of its server a pod gets. It also filters: a server on which it
/// would have none to give is not considered.
struct DevicePlugin {
    std::string allocator;  ///< One of core::machine_allocators().
    core::MachineRules rules;
    std::int64_t weight = 0;  ///< How much its score counts beside those of the score plug-ins.
};

/// reserve: GPUs are shared by thousandths, and counted device by device.
struct GpuPlugin {
    /// One of core::gpu_policies() or tree_policies(), instead of the score plug-ins; empty: the
    /// score plug-ins choose the server, and a share goes to the device with the least free.
    std::string policy;
    std::vector<core::TypicalGang> gangs{};            ///< Used by a tree policy that asks for
                                                       ///< typical gangs.
    std::shared_ptr<const core::TypicalPods> typical;  ///< nullptr: fragmentation is unknown.
    /// Whether servers that a policy finds equally good are ordered at random, not by the tree.
    bool ties_at_random = false;
    std::uint64_t seed = 0;  ///< The replication's seed; the policy and ties draw from it by name.
};

/// Which of its allocation candidates on a server a pod takes.
enum class CandidateChoice : std::uint8_t {
    first,   ///< The one that the search finds first, in the order of the providers.
    pack,    ///< The one that leaves its providers fullest, by their shares in use.
    spread,  ///< The one that leaves its providers emptiest.
};

/// filter: a pod goes to a server with an allocation candidate for it, and takes one.
struct CandidatePlugin {
    CandidateChoice choice = CandidateChoice::first;
};

/// What a profile asks for inside servers; nothing: servers hold amounts only.
///
/// Shape: at most one of the three is set.
struct InsidePlugins {
    std::optional<DevicePlugin> devices;
    std::optional<CandidatePlugin> candidates;
    std::optional<GpuPlugin> gpus;
};

}  // namespace berth::sim

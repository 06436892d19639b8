#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/gpu_sharing/typical_gang.hpp"
#include "core/gpu_sharing/typical_pods.hpp"
#include "core/machine_allocators/machine_rules.hpp"
#include "core/num_fit.hpp"
#include "core/scorer.hpp"
#include "sim/queue_policy.hpp"

namespace berth::sim {

enum class Solver : std::uint8_t { greedy, exact };

/// reserve: which devices of its server a pod gets. The same plug-in filters: a server of which it
/// would have none to give is not considered.
struct DevicePlugin {
    std::string allocator;  ///< One of core::machine_allocators().
    core::MachineRules rules;
    std::int64_t weight = 0;  ///< Of its score among those of the score plug-ins.
};

/// reserve: GPUs are shared by thousandths, and counted device by device.
struct GpuPlugin {
    /// One of core::gpu_policies() or tree_policies(), in the place of score plug-ins; empty: they
    /// choose the server, and a share goes to the device with the least free.
    std::string policy;
    std::vector<core::TypicalGang> gangs{};            ///< Of a tree policy that asks for them.
    std::shared_ptr<const core::TypicalPods> typical;  ///< Or nullptr: fragmentation is unknown.
    /// Servers that a policy finds as good go by an order that is drawn, not by the tree's.
    bool ties_at_random = false;
    std::uint64_t seed = 0;  ///< The replication's; the policy and ties draw from it by name.
};

/// Which of its allocation candidates on a server a pod takes.
enum class CandidateChoice : std::uint8_t {
    first,   ///< The one that the search finds first: of providers by their order.
    pack,    ///< That leaves the providers it takes from fullest, by the sum of their shares.
    spread,  ///< That leaves them emptiest.
};

/// filter: a pod goes to a server with an allocation candidate for it, and takes one.
struct CandidatePlugin {
    CandidateChoice choice = CandidateChoice::first;
};

/// The plug-ins at the points of the scheduling framework (DESIGN 5), as far as a profile chooses
/// them.
struct Profile {
    QueuePolicy queue;                               ///< queueSort; by default fifo.
    Solver solver = Solver::greedy;                  ///< placementGroup
    core::NumFit num_fit = core::NumFit::aggregate;  ///< placementGroup
    std::vector<core::WeightedScorer> score;         ///< Of single pods; empty with a GPU policy.
    std::optional<DevicePlugin> devices;
    std::optional<CandidatePlugin> candidates;  ///< Without `devices`.
    std::optional<GpuPlugin> gpus;              ///< Without either.
};

}  // namespace berth::sim

#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/gpu_sharing/gpu_policy.hpp"
#include "core/gpu_sharing/typical_pods.hpp"

namespace berth::core {

/// How a pod can take GPUs of a server: from devices that are in use, or by breaking into free
/// ones.
enum class Take : std::uint8_t { used_devices, free_devices };
inline constexpr std::size_t take_count = 2;

/// The cost of a way to take GPUs that does not exist.
inline constexpr std::int64_t no_way = std::numeric_limits<std::int64_t>::max();

/// The cost of each Take; the smaller the better.
using TakeCosts = std::array<std::int64_t, take_count>;

/// A room, a rack, ... or a server as a policy sees it.
struct GpuDomain {
    Level level;
    std::uint32_t levels = 0;  ///< The number of levels of the whole tree.
    Amount gpu_free = 0;       ///< Free amount in milli-GPU.
    Amount gpu_capacity = 0;
    std::int64_t whole_free = 0;  ///< The number of wholly free devices.
};

/// Says what it costs to put a pod on a server and into the domains around it. The pod goes where
/// the sum is smallest.
///
/// Contract: a cost is a function of its arguments, and within [-2^40, 2^40] times the levels of
/// the tree.
class TreePolicy {
public:
    virtual ~TreePolicy() = default;
    /// The costs of a server on which the pod fits, by Take. A pod without GPUs counts as taking
    /// used devices.
    [[nodiscard]] virtual TakeCosts server_costs(const GpuServer& server,
                                                 const GpuDomain& domain,
                                                 const GpuPod& pod) = 0;
    /// The device in use that serves a share: the one with the least free share that is enough.
    [[nodiscard]] virtual std::size_t used_device(const GpuServer& server, const GpuPod& pod);
    /// The cost of a domain above the server, except the root, when the pod breaks into `devices`
    /// free devices there.
    [[nodiscard]] virtual std::int64_t domain_cost(const GpuDomain& domain,
                                                   std::int64_t devices,
                                                   const GpuPod& pod) = 0;
};

/// What policies may use. All of it outlives the policies.
struct TreePolicyContext {
    GpuSets& sets;
    Fragmentation& fragmentation;
    std::vector<TypicalGang> gangs{};
};

struct TreePolicyEntry {
    std::string_view name;
    std::string_view summary;
    std::unique_ptr<TreePolicy> (*make)(const TreePolicyContext& context);
};

/// All policies, by name, from core/gpu_sharing/tree_policies/tree_policies.def, which has one line
/// for each file.
[[nodiscard]] std::span<const TreePolicyEntry> tree_policies();

}  // namespace berth::core

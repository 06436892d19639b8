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

/// How a pod can take GPUs of a server: from devices already in use, or by breaking into free ones.
enum class Take : std::uint8_t { used_devices, free_devices };
inline constexpr std::size_t take_count = 2;

/// The cost of a way that does not exist.
inline constexpr std::int64_t no_way = std::numeric_limits<std::int64_t>::max();

/// The smaller the better, by Take.
using TakeCosts = std::array<std::int64_t, take_count>;

/// A room, a rack, ... or a server as a policy sees it.
struct GpuDomain {
    Level level;
    std::uint32_t levels = 0;  ///< Of the whole tree.
    Amount gpu_free = 0;       ///< Milli-GPU.
    Amount gpu_capacity = 0;
    std::int64_t whole_free = 0;  ///< Devices of which everything is free.
};

/// Says what it costs to put a pod on a server, and into the domains around it: the pod goes where
/// the sum is smallest.
///
/// Contract: a cost is a function of its arguments, and within [-2^40, 2^40] times the levels of
/// the tree.
class TreePolicy {
public:
    virtual ~TreePolicy() = default;
    /// The cost of a server on which the pod fits, by way; a pod without GPUs counts as taking used
    /// devices.
    [[nodiscard]] virtual TakeCosts server_costs(const GpuServer& server,
                                                 const GpuDomain& domain,
                                                 const GpuPod& pod) = 0;
    /// Of the devices in use, the one that serves a share: the one with the least free that has
    /// enough.
    [[nodiscard]] virtual std::size_t used_device(const GpuServer& server, const GpuPod& pod);
    /// The cost of a domain above it, except the root, when `devices` free devices are broken into
    /// there.
    [[nodiscard]] virtual std::int64_t domain_cost(const GpuDomain& domain,
                                                   std::int64_t devices,
                                                   const GpuPod& pod) = 0;
};

/// What policies may use. All of it outlives them.
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

/// All policies, by name: core/gpu_sharing/tree_policies/tree_policies.def, one line a file.
[[nodiscard]] std::span<const TreePolicyEntry> tree_policies();

}  // namespace berth::core

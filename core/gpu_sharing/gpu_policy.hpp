#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "core/gpu_shares/gpu_sets.hpp"
#include "core/gpu_sharing/fragmentation.hpp"
#include "core/tree/device_names.hpp"

namespace berth::core {

/// A server as a policy sees it.
struct GpuServer {
    Amount cpu_free = 0;
    GpuSetId set = 0;                     ///< The free shares of its GPUs, in any order.
    std::span<const GpuMilli> by_device;  ///< The free share of each device.
    std::uint32_t model = 0;              ///< The number of its GPU model in GpuModels.
    /// The kinds of GPU pods on the server: bit 0 for shares of a GPU, bit k for pods of k whole
    /// GPUs.
    std::uint64_t kinds = 0;
};

/// A pod as a policy sees it: a share (`count` 1, `milli` below 1000), whole GPUs, or none.
struct GpuPod {
    Amount cpu = 0;
    GpuMilli milli = 0;
    std::uint32_t count = 0;
    std::uint32_t request = 0;  ///< Pods with equal `milli` and `count` have one number, from 0.

    [[nodiscard]] GpuMilli total() const { return milli * static_cast<GpuMilli>(count); }
    [[nodiscard]] bool is_share() const {
        return count == 1 && milli < static_cast<GpuMilli>(gpu_whole_milli);
    }
};

/// The device with the least free share that is enough for the pod's share; the first of equal
/// ones.
[[nodiscard]] std::size_t tightest_device(const GpuServer& server, const GpuPod& pod);

/// Says how good a server is for a pod when GPUs are shared, and which device serves a share.
///
/// Contract, checked for every registered policy by tests/unit/core/gpu_policies_test.cpp:
///   - the pod fits on the server;
///   - a score is within [0, 100], and is a function of the server's amounts, set, model and kinds
///     alone: no other server, no clock. The highest score wins, then the highest `beyond`; ties go
///     to the first server;
///   - the chosen device has as much free as the pod asks for.
class GpuPolicy {
public:
    virtual ~GpuPolicy() = default;
    [[nodiscard]] virtual std::int32_t score(const GpuServer& server, const GpuPod& pod) = 0;
    /// How much better or worse a server is than others with the same score, where the published
    /// policy cuts off the scores of servers larger than its reference. It is 0 on every server
    /// within the reference, so that published scores decide there unchanged.
    /// Shape: above -beyond_steps and below beyond_steps; with a score of 0, down to beyond_lowest.
    [[nodiscard]] virtual std::int32_t beyond(const GpuServer& /*server*/, const GpuPod& /*pod*/) {
        return 0;
    }
    static constexpr std::int32_t beyond_steps = 256;
    static constexpr std::int32_t beyond_lowest = -6'500;
    /// The device that serves a share. Whole devices are always those with the lowest numbers.
    [[nodiscard]] virtual std::size_t device(const GpuServer& server, const GpuPod& pod) {
        return tightest_device(server, pod);
    }
    /// Whether one of the servers on which the pod fits is drawn at random, regardless of scores.
    [[nodiscard]] virtual bool draws_server() const { return false; }
    /// For a policy that draws: which of `count` servers to take, in the order of the tree.
    [[nodiscard]] virtual std::uint32_t draw(std::uint32_t count);
};

/// What policies may use. All of it outlives the policies.
struct GpuPolicyContext {
    GpuSets& sets;
    Fragmentation& fragmentation;
    std::uint64_t seed = 0;
};

struct GpuPolicyEntry {
    std::string_view name;
    std::string_view summary;
    std::unique_ptr<GpuPolicy> (*make)(const GpuPolicyContext& context);
};

/// All policies, by name, from core/gpu_sharing/policies/gpu_policies.def, which has one line for
/// each file.
[[nodiscard]] std::span<const GpuPolicyEntry> gpu_policies();

}  // namespace berth::core

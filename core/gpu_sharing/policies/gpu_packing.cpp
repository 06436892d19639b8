/// gpu-packing: first GPUs in use, then idle GPUs of servers in use, then idle servers; in each
/// case those where the least is left over.
/// Source: the published FGD simulator's GpuPacking, after Weng et al., "MLaaS in the Wild" (NSDI
///         2022).
/// Limits: a pod without GPUs goes to the first server.

#include <algorithm>

#include "core/gpu_sharing/gpu_policy.hpp"

namespace berth::core {
namespace {

class GpuPacking final : public GpuPolicy {
public:
    explicit GpuPacking(const GpuSets& sets) : sets_(sets) {}

    std::int32_t score(const GpuServer& server, const GpuPod& pod) override {
        if (pod.count == 0) {
            return 0;
        }
        const auto idle = static_cast<std::int32_t>(sets_.whole(server.set));
        if (static_cast<std::size_t>(idle) == sets_.free(server.set).size()) {
            return std::max(33 - idle, 0);
        }
        const Used used = used_by(server, pod);
        return used.idle > 0 ? std::max(50 - used.idle, 33) : std::max(100 - used.shares / 10, 50);
    }
    /// The published program counts 17 idle GPUs and more as the same or, on idle servers, as
    /// better. Here fewer idle GPUs remain better.
    std::int32_t beyond(const GpuServer& server, const GpuPod& pod) override {
        if (pod.count == 0) {
            return 0;
        }
        const auto idle = static_cast<std::int32_t>(sets_.whole(server.set));
        if (static_cast<std::size_t>(idle) == sets_.free(server.set).size()) {
            return std::clamp(33 - idle, beyond_lowest, 0);
        }
        return std::clamp(17 - used_by(server, pod).idle, 1 - beyond_steps, 0);
    }

private:
    /// What is free on the devices that would serve a pod: how many of them are idle, and the sum
    /// of their free shares in hundredths of devices.
    struct Used {
        std::int32_t idle = 0;
        std::int32_t shares = 0;
    };

    Used used_by(const GpuServer& server, const GpuPod& pod) const {
        const std::span<const GpuMilli> free = sets_.free(server.set);
        Used used;
        std::uint32_t found = 0;
        for (std::size_t device = 0; device < free.size() && found < pod.count; ++device) {
            if (free[device] >= pod.milli) {
                ++found;
                used.idle += free[device] == static_cast<GpuMilli>(gpu_whole_milli) ? 1 : 0;
                used.shares += free[device] * 100 / static_cast<GpuMilli>(gpu_whole_milli);
            }
        }
        return used;
    }

    const GpuSets& sets_;
};

}  // namespace

std::unique_ptr<GpuPolicy> make_gpu_packing(const GpuPolicyContext& context) {
    return std::make_unique<GpuPacking>(context.sets);
}

}  // namespace berth::core

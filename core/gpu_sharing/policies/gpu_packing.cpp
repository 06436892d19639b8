/// gpu-packing: on GPUs in use first, then on idle GPUs of servers in use, then on idle servers;
/// each time where the least is left over.
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
        const std::span<const GpuMilli> free = sets_.free(server.set);
        const auto idle = static_cast<std::int32_t>(sets_.whole(server.set));
        if (static_cast<std::size_t>(idle) == free.size()) {
            return std::max(33 - idle, idle);
        }
        std::int32_t idle_used = 0;
        std::int32_t shares_used = 0;  // hundredths of devices that would serve the pod
        std::uint32_t found = 0;
        for (std::size_t device = 0; device < free.size() && found < pod.count; ++device) {
            if (free[device] >= pod.milli) {
                ++found;
                idle_used += free[device] == static_cast<GpuMilli>(gpu_whole_milli) ? 1 : 0;
                shares_used += free[device] * 100 / static_cast<GpuMilli>(gpu_whole_milli);
            }
        }
        return idle_used > 0 ? std::max(50 - idle_used, 33) : std::max(100 - shares_used / 10, 50);
    }

private:
    const GpuSets& sets_;
};

}  // namespace

std::unique_ptr<GpuPolicy> make_gpu_packing(const GpuPolicyContext& context) {
    return std::make_unique<GpuPacking>(context.sets);
}

}  // namespace berth::core

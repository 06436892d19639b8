#include "core/gpu_sharing/gpu_policy.hpp"

#include <array>

#include "core/support/assert.hpp"

namespace berth::core {

std::size_t tightest_device(const GpuServer& server, const GpuPod& pod) {
    BERTH_ASSERT(pod.is_share(), "only a share is of one device");
    std::size_t best = server.by_device.size();
    for (std::size_t device = 0; device < server.by_device.size(); ++device) {
        const GpuMilli free = server.by_device[device];
        if (free >= pod.milli &&
            (best == server.by_device.size() || free < server.by_device[best])) {
            best = device;
        }
    }
    BERTH_ASSERT(best < server.by_device.size(), "the pod fits on the server");
    return best;
}

std::uint32_t GpuPolicy::draw(std::uint32_t /*count*/) {
    return 0;
}

#define BERTH_GPU_POLICY(function, name, summary) \
    std::unique_ptr<GpuPolicy> make_##function(const GpuPolicyContext& context);
#include "core/gpu_sharing/policies/gpu_policies.def"
#undef BERTH_GPU_POLICY

std::span<const GpuPolicyEntry> gpu_policies() {
    static constexpr std::array table{
#define BERTH_GPU_POLICY(function, name, summary) GpuPolicyEntry{name, summary, &make_##function},
#include "core/gpu_sharing/policies/gpu_policies.def"
#undef BERTH_GPU_POLICY
    };
    return table;  // a policy named here and not linked is a link error, never a silent absence
}

}  // namespace berth::core

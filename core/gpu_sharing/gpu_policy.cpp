#include "core/gpu_sharing/gpu_policy.hpp"

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

}  // namespace berth::core

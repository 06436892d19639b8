#include "core/gpu_sharing/tree_policy.hpp"

namespace berth::core {

std::size_t TreePolicy::used_device(const GpuServer& server, const GpuPod& pod) {
    return tightest_device(server, pod);
}

}  // namespace berth::core

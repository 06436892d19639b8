#include "core/machine_allocators/pod_devices.hpp"

#include <string_view>

namespace berth::core {
namespace {

Amount requested(const DevicePod& pod, std::string_view resource) {
    const auto found = pod.requests.find(resource);
    return found == pod.requests.end() ? 0 : found->second;
}

}  // namespace

Amount PodDevices::gpu_count() const {
    return requested(pod, device_resource::nvidia_gpu);
}

Amount PodDevices::rdma() const {
    return requested(pod, device_resource::rdma);
}

}  // namespace berth::core

/// emptiest-gpus: the server with the most free of its GPUs, and of a share the emptiest device.
/// Source: worst-fit, over shared GPUs.

#include <algorithm>

#include "core/gpu_sharing/gpu_policy.hpp"

namespace berth::core {
namespace {

class EmptiestGpus final : public GpuPolicy {
public:
    explicit EmptiestGpus(const GpuSets& sets) : sets_(sets) {}

    std::int32_t score(const GpuServer& server, const GpuPod& /*pod*/) override {
        const auto devices = static_cast<GpuMilli>(server.by_device.size());
        const GpuMilli whole = devices * static_cast<GpuMilli>(gpu_whole_milli);
        return whole > 0 ? 100 * sets_.total(server.set) / whole : 0;
    }
    std::size_t device(const GpuServer& server, const GpuPod& /*pod*/) override {
        const auto emptiest = std::ranges::max_element(server.by_device);
        return static_cast<std::size_t>(emptiest - server.by_device.begin());
    }

private:
    const GpuSets& sets_;
};

}  // namespace

std::unique_ptr<GpuPolicy> make_emptiest_gpus(const GpuPolicyContext& context) {
    return std::make_unique<EmptiestGpus>(context.sets);
}

}  // namespace berth::core

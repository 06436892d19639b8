/// dot-product: the server with the smallest dot product of what it has free and what the pod asks
/// for, over CPU and GPUs.
/// Source: the published FGD simulator's DotProd, `-dimext merge -norm max`; the inverse of Tetris'
///         alignment (Grandl et al., SIGCOMM 2014).

#include <algorithm>

#include "core/gpu_sharing/gpu_policy.hpp"
#include "core/gpu_sharing/policies/reference_server.hpp"

namespace berth::core {
namespace {

class DotProduct final : public GpuPolicy {
public:
    explicit DotProduct(const GpuSets& sets) : sets_(sets) {}

    std::int32_t score(const GpuServer& server, const GpuPod& pod) override {
        return std::max(points(server, pod), 0);
    }
    std::int32_t beyond(const GpuServer& server, const GpuPod& pod) override {
        return std::clamp(points(server, pod), beyond_lowest, 0);
    }

private:
    /// The points are below 0 if the server and the pod are larger than the reference.
    std::int32_t points(const GpuServer& server, const GpuPod& pod) const {
        const double cpu = static_cast<double>(server.cpu_free) / reference_cpu_milli *
                           (static_cast<double>(pod.cpu) / reference_cpu_milli);
        const double gpu = static_cast<double>(sets_.total(server.set)) / reference_gpu_milli *
                           (static_cast<double>(pod.total()) / reference_gpu_milli);
        return points_of(1 - (cpu + gpu) / 2);
    }

    const GpuSets& sets_;
};

}  // namespace

std::unique_ptr<GpuPolicy> make_dot_product(const GpuPolicyContext& context) {
    return std::make_unique<DotProduct>(context.sets);
}

}  // namespace berth::core

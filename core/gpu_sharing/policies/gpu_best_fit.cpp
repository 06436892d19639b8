/// best-fit: the server with the least CPU and GPUs left over after the pod is placed, by the
/// server's sums.
/// Source: the published FGD simulator's BestFit.
/// Limits: amounts are measured against a server of 128 CPUs and 8 GPUs, however large the server
///         is, and go on below 0 where the published program stops; memory does not count.

#include <algorithm>

#include "core/gpu_sharing/gpu_policy.hpp"
#include "core/gpu_sharing/policies/reference_server.hpp"

namespace berth::core {
namespace {

class GpuBestFit final : public GpuPolicy {
public:
    explicit GpuBestFit(const GpuSets& sets) : sets_(sets) {}

    std::int32_t score(const GpuServer& server, const GpuPod& pod) override {
        return std::clamp(points(server, pod), 0, points_max);
    }
    std::int32_t beyond(const GpuServer& server, const GpuPod& pod) override {
        const std::int32_t points = this->points(server, pod);
        return points > points_max ? std::min(points - points_max, beyond_steps - 1)
                                   : std::clamp(points, beyond_lowest, 0);
    }

private:
    static constexpr std::int32_t points_max = 100;

    /// The points are below 0 if more is left over than the reference has, and above 100 if more is
    /// in use from outside than the server has.
    std::int32_t points(const GpuServer& server, const GpuPod& pod) const {
        double left = static_cast<double>(server.cpu_free - pod.cpu) / reference_cpu_milli * 0.5;
        left +=
            static_cast<double>(sets_.total(server.set) - pod.total()) / reference_gpu_milli * 0.5;
        return points_of(1 - left);
    }

    const GpuSets& sets_;
};

}  // namespace

std::unique_ptr<GpuPolicy> make_gpu_best_fit(const GpuPolicyContext& context) {
    return std::make_unique<GpuBestFit>(context.sets);
}

}  // namespace berth::core

/// gpu-clustering: a server with pods that ask for the same number of GPUs, so that each server
/// serves one kind of pod; among those, a server where less is free.
/// Source: the published FGD simulator's GpuClustering, after Xiao et al., "Gandiva" (OSDI 2018).
/// Limits: GPUs in use are measured against a server of 8 GPUs; of larger servers, those with less
///         free come first up to 88 free GPUs; a pod without GPUs goes to the first server.

#include <algorithm>

#include "core/gpu_shares/gpu_request.hpp"
#include "core/gpu_sharing/gpu_policy.hpp"

namespace berth::core {
namespace {

class GpuClustering final : public GpuPolicy {
public:
    explicit GpuClustering(const GpuSets& sets) : sets_(sets) {}

    std::int32_t score(const GpuServer& server, const GpuPod& pod) override {
        if (pod.count == 0) {
            return 0;
        }
        const GpuMilli base = std::max(25 * (reference - sets_.total(server.set)) / reference, 0);
        const std::uint64_t kind = bit(gpu_kind(pod.milli, pod.count));
        if ((server.kinds & kind) != 0) {
            return base + (server.kinds == kind ? 75 : 50);
        }
        return server.kinds == 0 ? base + 25 : base;
    }
    /// Within a class, a server with more free GPUs than the reference has is worse than one with
    /// as many. No other class reaches that far, since a server on which the pod fits has something
    /// free.
    std::int32_t beyond(const GpuServer& server, const GpuPod& pod) override {
        constexpr GpuMilli a_point = 320;  // 8 GPUs are 25 points
        const GpuMilli above = sets_.total(server.set) - reference;
        return pod.count == 0 || above <= 0 ? 0 : std::max(-above / a_point - 1, 1 - beyond_steps);
    }

private:
    static constexpr GpuMilli reference = 8000;

    const GpuSets& sets_;
};

}  // namespace

std::unique_ptr<GpuPolicy> make_gpu_clustering(const GpuPolicyContext& context) {
    return std::make_unique<GpuClustering>(context.sets);
}

}  // namespace berth::core

#include "sim/cluster/inside/gpus/requested_gpus.hpp"

#include <algorithm>
#include <cstdint>

#include "core/support/assert.hpp"

namespace berth::sim {

/// Far more GPUs than any server has, so that a pod which asks for more fits nowhere either way.
constexpr std::int64_t count_max = 1'000'000;

core::GpuRequest requested_gpus(const Job& job, std::size_t gpu) {
    core::GpuRequest request;
    if (job.gpus != nullptr) {
        request = *job.gpus;
    } else if (gpu < job.demand.size() && job.demand[gpu] > 0) {
        const core::Amount milli = job.demand[gpu];
        request.milli = std::min(milli, core::gpu_whole_milli);
        request.count = milli / core::gpu_whole_milli + (milli % core::gpu_whole_milli > 0 ? 1 : 0);
    }
    request.count = std::min(request.count, count_max);
    if (request.milli == 0 || request.count == 0) {
        request = {};  // no part of a device, or no device, is no request for GPUs
    }
    BERTH_ASSERT(request.milli >= 0 && request.milli <= core::gpu_whole_milli && request.count >= 0,
                 "of each device, a pod asks for all of it at most");
    return request;
}

}  // namespace berth::sim

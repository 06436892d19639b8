#pragma once

#include "core/gpu_shares/gpu_request.hpp"
#include "sim/job/job.hpp"

namespace berth::sim {

/// What each pod of a job asks of the GPUs of its server where they are shared: its request, or
/// else the GPUs among its amounts. `gpu` is the resource nvidia.com/gpu; beyond the amounts where
/// the cluster has none.
[[nodiscard]] core::GpuRequest requested_gpus(const Job& job, std::size_t gpu);

}  // namespace berth::sim

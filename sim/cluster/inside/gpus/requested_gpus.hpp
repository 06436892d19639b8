#pragma once

#include "core/gpu_shares/gpu_request.hpp"
#include "sim/job/job.hpp"

namespace berth::sim {

/// What each pod of a job asks for of its server's GPUs when they are shared: its GPU request, or
/// else the GPUs among its amounts. `gpu` is the index of nvidia.com/gpu; it is past the end of the
/// amounts if the cluster has none.
[[nodiscard]] core::GpuRequest requested_gpus(const Job& job, std::size_t gpu);

}  // namespace berth::sim

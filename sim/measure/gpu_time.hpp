#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace berth::sim {

/// What a GPU's time was used for: it was allocated, or idle for one cause. Where a run
/// distinguishes time without gain from lasting work, the four uses from `redone` on are not part
/// of `allocated`.
enum class GpuTimeUse : std::uint8_t {
    allocated,
    no_demand,       ///< No waiting job asks for it.
    quota,           ///< The job's quota does not admit it.
    gang_waiting,    ///< A member fits here, but the cluster has too few places for its group.
    split,           ///< There is enough, but not together: in one rack, on one NVLink island.
    nic_mismatch,    ///< A NIC is missing, or none is where the pod wants it.
    cpu_or_memory,   ///< CPU, memory or another amount is missing.
    model_mismatch,  ///< The GPUs are of another model.
    fragmented,      ///< Too little is left of the server's GPUs, or of each single shared one.
    scheduler,       ///< There is a place, but the next cycle is still to come, or the policy holds
                     ///< the job back.
    failed,          ///< The server is down, or not there yet.
    redone,          ///< A job had it, and has to do again what it did in this time.
    checkpoint,      ///< A job had it and wrote a checkpoint.
    restart,         ///< A job had it and restarted after an interruption.
    hung,            ///< A job had it and did nothing, because of a failure that was not yet known.
    drained,         ///< The server is drained, or would be before the job ends.
    spare,           ///< The server is kept free for jobs that lose their servers.
};
inline constexpr std::size_t gpu_time_use_count = 17;
/// Whether a job had the GPU without gain.
[[nodiscard]] constexpr bool is_without_gain(GpuTimeUse use) {
    return use >= GpuTimeUse::redone && use <= GpuTimeUse::hung;
}
/// Whether a job had the GPU.
[[nodiscard]] constexpr bool is_held(GpuTimeUse use) {
    return use == GpuTimeUse::allocated || is_without_gain(use);
}
[[nodiscard]] std::string_view to_string(GpuTimeUse use);

/// The part of a run's GPU time that went to one use.
struct GpuTime {
    GpuTimeUse use = GpuTimeUse::allocated;
    double gpu_seconds = 0;
    double share = 0;
};

}  // namespace berth::sim

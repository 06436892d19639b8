#pragma once

#include <cstdint>

namespace berth::sim {

/// What keeps a member of a waiting job from a server: the first of these that applies there.
enum class Lack : std::uint8_t {
    nothing,        ///< There is room for it.
    model,          ///< The GPUs are of no model that the job accepts, or it selects other servers.
    cpu_or_memory,  ///< CPU, memory, or another amount that is neither GPUs nor NICs.
    nic,            ///< NICs, by number or share, or none that the allocator would give.
    gpu,            ///< Too little of the GPUs is left, in total or on any single shared one.
    devices,        ///< The amounts are there, but not together: an NVLink island, a candidate.
    drain,          ///< There is room, but the server is drained before the job would end.
};
inline constexpr std::size_t lack_count = 7;

}  // namespace berth::sim

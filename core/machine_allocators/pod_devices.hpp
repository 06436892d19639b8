#pragma once

#include <compare>
#include <string>

#include "core/device_allocator/device_request.hpp"
#include "core/group_allocator/group_amounts.hpp"

namespace berth::core {

/// What a pod asks of the devices inside its server. Each allocator reads the parts that it
/// understands.
struct PodDevices {
    /// The text that the user wrote. Pods with the same text ask for the same.
    std::string text;
    /// Requests by number and share, with hints: nvidia.com/gpu, koordinator.sh/...
    DevicePod pod;
    GroupAmounts groups;  ///< Requests by name, in groups: `resource/group/...`.

    /// The number of whole GPUs that are asked for by number.
    [[nodiscard]] Amount gpu_count() const;
    /// The NICs that are asked for by number or share; 0: none.
    [[nodiscard]] Amount rdma() const;
};

}  // namespace berth::core

#pragma once

#include <compare>
#include <string>

#include "core/device_allocator/device_request.hpp"
#include "core/group_allocator/group_amounts.hpp"

namespace berth::core {

/// What a pod asks of the devices inside its server. Each allocator reads what it understands.
struct PodDevices {
    /// As the user wrote it; pods with one text ask for the same.
    std::string text;
    DevicePod pod;        ///< By number and share, with hints: nvidia.com/gpu, koordinator.sh/...
    GroupAmounts groups;  ///< By name, in groups: `resource/group/...`.

    /// Whole GPUs asked for by number.
    [[nodiscard]] Amount gpu_count() const;
    /// NICs asked for by number or share; 0: none.
    [[nodiscard]] Amount rdma() const;
};

}  // namespace berth::core

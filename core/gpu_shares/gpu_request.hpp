#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/gpu_shares/gpu_sets.hpp"
#include "core/tree/device_names.hpp"
#include "core/tree/ids.hpp"

namespace berth::core {

/// One GPU in thousandths, the unit in which GPUs are shared.
inline constexpr Amount gpu_whole_milli = 1000;

/// What a pod asks of the GPUs of one server when GPUs are shared: a share of one device, or some
/// whole devices.
///
/// Units:  `milli` of each of `count` devices; below 1000 only if `count` is 1. Both are 0 for no
///         GPUs.
/// Source: openb's `num_gpu`, `gpu_milli`, `gpu_spec`.
struct GpuRequest {
    Amount milli = 0;
    std::int64_t count = 0;
    std::vector<std::string> models;  ///< Accepted models, by exact name; empty: any.

    [[nodiscard]] Amount total_milli() const { return milli * count; }
    friend auto operator<=>(const GpuRequest&, const GpuRequest&) = default;
};

/// The kind of a pod that asks for GPUs: 0 for a share of one GPU, otherwise the number of GPUs,
/// where 63 and more are one kind.
[[nodiscard]] constexpr std::uint32_t gpu_kind(Amount milli, std::int64_t count) {
    return milli < gpu_whole_milli ? 0
                                   : static_cast<std::uint32_t>(std::min<std::int64_t>(count, 63));
}

/// The GPUs that a pod got on its server, and how much of each.
struct GpuGrant {
    DeviceMask devices = 0;
    GpuMilli milli = 0;

    friend bool operator==(const GpuGrant&, const GpuGrant&) = default;
};

}  // namespace berth::core

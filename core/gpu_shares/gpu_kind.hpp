#pragma once

#include <algorithm>
#include <cstdint>

#include "core/gpu_shares/gpu_request.hpp"

namespace berth::core {

/// The kind of a pod that asks for GPUs: 0 for a share of one, otherwise how many, 63 and more
/// being one kind.
[[nodiscard]] constexpr std::uint32_t gpu_kind(Amount milli, std::int64_t count) {
    return milli < gpu_whole_milli ? 0
                                   : static_cast<std::uint32_t>(std::min<std::int64_t>(count, 63));
}

}  // namespace berth::core

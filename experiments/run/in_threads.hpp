#pragma once

#include <cstdint>
#include <functional>

namespace berth::experiments {

/// Calls `work` with each number below `count`, in so many threads; none begins after `stopped`
/// says so, or after one has failed.
/// Errors: what the first that failed threw.
void in_threads(std::uint32_t count,
                unsigned threads,
                const std::function<bool()>& stopped,
                const std::function<void(std::uint32_t)>& work);

}  // namespace berth::experiments

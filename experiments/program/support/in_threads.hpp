#pragma once

#include <cstddef>
#include <functional>

namespace berth::experiments {

/// Calls `work` with 0, 1, ... below `count`, each once and started in this order, in this many
/// threads. The first exception ends it, once the calls already started are over, and is thrown
/// again.
void in_threads(unsigned threads, std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace berth::experiments

#pragma once

#include <cstddef>
#include <functional>

namespace berth::experiments {

/// Calls `work` with 0, 1, ... below `count`, each once and in this order of beginning, in that
/// many threads. The first exception ends it, once what has begun is over, and is thrown again.
void in_threads(unsigned threads, std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace berth::experiments

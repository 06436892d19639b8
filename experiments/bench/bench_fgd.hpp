#pragma once

#include <string>
#include <vector>

#include "experiments/bench/benchmark.hpp"

namespace berth::experiments {

/// One benchmark for each policy that can place pods where GPUs are shared: fgd/POLICY.
[[nodiscard]] std::vector<Benchmark> fgd_benchmarks(const OpenbFiles& files);

}  // namespace berth::experiments

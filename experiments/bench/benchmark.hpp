#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::experiments {

/// What was measured of one benchmark at one size.
struct Measurement {
    std::string benchmark;
    std::uint64_t size = 0;
    std::string unit;  ///< What one unit of work is.
    std::uint64_t count = 0;
    double best_s = 0;                              ///< Of one unit of work.
    double median_s = 0;                            ///< The same.
    std::map<std::string, std::uint64_t> counters;  ///< Work done for one unit, on average.
};

struct Benchmark {
    std::string_view name;
    std::string_view summary;
    /// Measures all sizes, and hands over each as it is done.
    void (*run)(const std::function<void(const Measurement&)>& done);
};

/// All benchmarks, by name.
[[nodiscard]] std::span<const Benchmark> benchmarks();

/// Times `unit` in batches of at least a millisecond for about `seconds`, after a warm-up.
/// Fills count, best_s and median_s: over batches, divided by the batch's length.
void measure(Measurement& measurement, double seconds, const std::function<void()>& unit);

}  // namespace berth::experiments

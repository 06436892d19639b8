#pragma once

#include <cstdint>
#include <functional>
#include <map>
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
    std::string name;
    std::string summary;
    /// Measures all sizes, and hands over each as it is done.
    std::function<void(const std::function<void(const Measurement&)>& done)> run;
};

/// Somebody's trace in openb's columns, for the benchmarks of the FGD paper's experiment; empty
/// names: one that is made up.
struct OpenbFiles {
    std::string nodes;
    std::string pods;
    std::string typical;  ///< Of these, the typical pods; empty: of `pods`.
};

/// All benchmarks, by name.
[[nodiscard]] std::vector<Benchmark> benchmarks(const OpenbFiles& files);

/// Times `unit` in batches of at least a millisecond for about `seconds`, after a warm-up.
/// Fills count, best_s and median_s: over batches, divided by the batch's length.
void measure(Measurement& measurement, double seconds, const std::function<void()>& unit);

}  // namespace berth::experiments

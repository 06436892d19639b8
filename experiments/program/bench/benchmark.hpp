#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/tree/topology.hpp"

namespace berth::experiments {

/// A tree in which all nodes of a level have the same number of children, below a root `cluster`.
[[nodiscard]] std::shared_ptr<const core::Topology> uniform_tree(
    const std::vector<std::pair<std::string, std::uint32_t>>& levels,
    const std::vector<std::pair<std::string, core::Amount>>& capacity);

/// The measurement of one benchmark at one size.
struct Measurement {
    std::string benchmark;
    std::uint64_t size = 0;
    std::string unit;  ///< The meaning of one unit of work.
    std::uint64_t count = 0;
    double best_s = 0;                              ///< Best time for one unit of work.
    double median_s = 0;                            ///< Median time for one unit of work.
    std::map<std::string, std::uint64_t> counters;  ///< Work done for one unit, on average.
};

/// How to measure a benchmark: at which of its sizes, and for how long.
class Bench {
public:
    using Done = std::function<void(const Measurement&)>;

    /// `size`: the only size to measure. `units`: the number of units of work, instead of as many
    /// as are done in a given time. `done` receives each measurement when it is made.
    Bench(std::optional<std::uint64_t> size, std::optional<std::uint64_t> units, Done done);

    /// The sizes of a benchmark that are to be measured.
    [[nodiscard]] std::vector<std::uint32_t> sizes(const std::vector<std::uint32_t>& all) const;

    /// Times `unit` in batches of at least a millisecond for about `seconds`, after a warm-up, or
    /// the given number of units in one batch. Fills count, best_s and median_s: over batches,
    /// divided by the batch's length.
    void measure(Measurement& measurement, double seconds, const std::function<void()>& unit) const;

    void report(const Measurement& measurement) const { done_(measurement); }

private:
    std::optional<std::uint64_t> size_;
    std::optional<std::uint64_t> units_;
    Done done_;
};

struct Benchmark {
    std::string name;
    std::string summary;
    std::function<void(const Bench&)> run;
};

/// A recorded trace in openb's columns, for the benchmarks of the FGD paper's experiment. Empty
/// names: an invented one.
struct OpenbFiles {
    std::string nodes;
    std::string pods;
    std::string typical;  ///< The file with the typical pods; empty: `pods` is used.
};

/// All benchmarks, by name.
[[nodiscard]] std::vector<Benchmark> benchmarks(const OpenbFiles& files);

/// What the size of a benchmark counts, such as `servers`. `benchmark` may be any name that a
/// measurement has.
[[nodiscard]] std::string_view size_of(std::string_view benchmark);

/// Does the units of work of a batch. Everything that is measured happens inside this function, so
/// that a profiler restricted to it leaves out the preparations of a benchmark.
void do_units(std::uint64_t count, const std::function<void()>& unit);

}  // namespace berth::experiments

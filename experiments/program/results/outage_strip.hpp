#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/program/results/cluster.hpp"
#include "experiments/program/results/failures.hpp"

namespace berth::report {

/// How much of each rack was out over time, and when that interrupted jobs. A rack is a node of the
/// lowest level above the servers; without such a level, each server is a row.
struct OutageStrip {
    /// An outage that took places of jobs, in one rack.
    struct Hit {
        std::uint32_t row = 0;
        std::uint32_t outage = 0;  ///< Index into Failures::outages.
    };
    std::string level;
    std::vector<std::string> rows;  ///< The racks, in the order of the tree.
    /// The number of racks beyond `rows_max`: those that were out least.
    std::size_t left_out = 0;
    double end_s = 0;
    /// The part of the servers' time that was out, by row and by equal slices of time.
    std::vector<std::vector<double>> out;
    std::vector<Hit> hits;
};

struct StripSize {
    std::size_t rows_max = 0;
    std::size_t slices = 0;
};

/// Builds the strip.
/// Returns: nothing if no time passed.
/// Cost:    O(servers below each outage, and slices of these).
[[nodiscard]] std::optional<OutageStrip> outage_strip(const Cluster& cluster,
                                                      const Failures& failures,
                                                      double end_s,
                                                      const StripSize& size);

}  // namespace berth::report

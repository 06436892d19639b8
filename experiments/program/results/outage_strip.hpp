#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/program/results/cluster.hpp"
#include "experiments/program/results/failures.hpp"

namespace berth::report {

/// How much of each rack was out over time, and when that interrupted jobs. A rack stands for a
/// node of the lowest level above the servers; without such a level, for a server.
struct OutageStrip {
    /// Of one rack, an outage that took places of jobs.
    struct Hit {
        std::uint32_t row = 0;
        std::uint32_t outage = 0;  ///< Into Failures::outages.
    };
    std::string level;
    std::vector<std::string> rows;  ///< In the order of the tree.
    std::size_t left_out = 0;       ///< Racks beyond `rows_max`, those that were out least.
    double end_s = 0;
    /// By row, and slices of time of equal length: the part of the servers' time that was out.
    std::vector<std::vector<double>> out;
    std::vector<Hit> hits;
};

struct StripSize {
    std::size_t rows_max = 0;
    std::size_t slices = 0;
};

/// Returns: nothing where no time passed.
/// Cost:    O(servers below each outage, and slices of these).
[[nodiscard]] std::optional<OutageStrip> outage_strip(const Cluster& cluster,
                                                      const Failures& failures,
                                                      double end_s,
                                                      const StripSize& size);

}  // namespace berth::report

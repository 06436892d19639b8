#pragma once

#include <array>
#include <optional>
#include <vector>

#include "experiments/program/results/run_directory.hpp"

namespace berth::report {

/// One figure over the replications, by bin: its median and its middle half.
struct MiddleBand {
    std::vector<double> median;
    std::vector<double> low;   ///< The lower quartile.
    std::vector<double> high;  ///< The upper quartile.
};

/// What happened in a run that shares GPUs while its workload arrived.
///
/// Units:  percent of all GPUs, except for the ratio.
/// Source: Weng et al., "Beware of Fragmentation" (USENIX ATC 2023), figures 7 and 9(a), and the
///         scripts that draw them: a bin holds the samples whose arrived share rounds to it, half
///         to even; the value of a replication is the mean of its samples in the bin.
///         to even; a replication's value is their mean.
struct ArrivalSeries {
    /// The share that has arrived, by bin; only bins in which every replication has a sample.
    std::vector<int> arrived_pct;
    MiddleBand unallocated_pct;
    MiddleBand frag_ratio_pct;  ///< Percent of the free GPUs.
    MiddleBand frag_pct;
    /// Medians by class, in the order of the classes, and by bin.
    std::array<std::vector<double>, 7> class_pct;
};

/// Computes the series; nothing where the run does not share GPUs or does not measure
/// fragmentation.
/// Cost: O(samples). Bins beyond 1000 % are not kept.
[[nodiscard]] std::optional<ArrivalSeries> arrival_series(const TimeSeries& series);

/// The columns of the classes, in their order.
inline constexpr std::array<const char*, 7> fragment_columns{"q1_lack_both",
                                                             "q2_lack_gpu",
                                                             "q3_satisfied",
                                                             "q4_lack_cpu",
                                                             "xl_satisfied",
                                                             "xr_lack_cpu",
                                                             "no_access"};

}  // namespace berth::report

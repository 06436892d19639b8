#pragma once

#include <array>
#include <optional>
#include <vector>

#include "experiments/program/results/run_directory.hpp"

namespace berth::report {

/// One figure over replications, by bin: the median and the middle half.
struct MiddleBand {
    std::vector<double> median;
    std::vector<double> low;   ///< The lower quartile.
    std::vector<double> high;  ///< The upper quartile.
};

/// What a run that shares GPUs did while its workload arrived.
///
/// Units:  percent of all GPUs, but for the ratio.
/// Source: Weng et al., "Beware of Fragmentation" (USENIX ATC 2023), figures 7 and 9(a), and the
///         scripts that draw them: a bin holds the samples whose arrived share rounds to it, half
///         to even; a replication's value is their mean.
struct ArrivalSeries {
    std::vector<int> arrived_pct;  ///< By bin; those in which every replication has a sample.
    MiddleBand unallocated_pct;
    MiddleBand frag_ratio_pct;  ///< Of the free GPUs.
    MiddleBand frag_pct;
    std::array<std::vector<double>, 7> class_pct;  ///< Medians, in the order of the classes.
};

/// Nothing where the run does not share GPUs or measures no fragmentation.
/// Cost: O(samples); of bins beyond 1000 % nothing is kept.
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

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "experiments/program/results/devices.hpp"
#include "experiments/program/results/run_directory.hpp"

namespace berth::report {

/// How many of a number of pods reached a kind of nearness, and how many could have.
struct NearnessCount {
    std::uint64_t pods = 0;
    std::uint64_t reached = 0;
    std::uint64_t attainable = 0;  ///< Pods that could have reached it, including those that did.
};
using NearnessCounts = std::array<NearnessCount, nearness_kinds.size()>;

/// The counts for pods with a given number of GPUs.
struct NearnessOfSize {
    std::size_t gpus = 0;  ///< 0 for pods of any size.
    NearnessCounts kinds{};
};
/// The counts for all pods, then for each number of GPUs that occurs, ascending. They cover all
/// replications.
[[nodiscard]] std::vector<NearnessOfSize> nearness_by_size(const Devices& devices);

/// A reason why pods are not as near as possible, and how many pods have it.
struct LocalityReason {
    std::string text;
    std::uint64_t pods = 0;
    std::vector<std::uint64_t> by_size;  ///< The number of pods by size, as in ReasonTable::sizes.
};
struct ReasonTable {
    std::vector<std::size_t> sizes;    ///< The sizes that have a reason, ascending.
    std::vector<LocalityReason> rows;  ///< The most frequent reason comes first.
};
/// The number of GPUs in a reason is the pod's own and is replaced by `enough`, so that pods of all
/// sizes share a row. Pods with more GPUs than one NUMA node of their server has get a reason of
/// their own.
[[nodiscard]] ReasonTable reasons_by_size(const Devices& devices);

/// What the pods got that started within equal stretches of time, over all replications.
struct NearnessWindows {
    double from_s = 0;
    double width_s = 1;
    std::vector<NearnessCounts> windows;
};
/// Counts in at most `count_max` + 1 windows of a round width.
[[nodiscard]] NearnessWindows nearness_over_time(const Devices& devices, std::size_t count_max);

/// The free GPUs of replication 0, computed from its pods: the column `gpus_free`, and
/// `gpus_free_broken` for those on NVLink islands (or NUMA nodes) where not every GPU is free. The
/// counts are wrong if pods were evicted or GPUs were in use before the run.
///
/// Cost: O(n log n) in the pods of replication 0.
[[nodiscard]] ReplicationSeries free_gpus(const Devices& devices);

}  // namespace berth::report

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "experiments/program/results/devices.hpp"
#include "experiments/program/results/run_directory.hpp"

namespace berth::report {

/// Of so many pods, how many have it, and how many could have.
struct NearnessCount {
    std::uint64_t pods = 0;
    std::uint64_t reached = 0;
    std::uint64_t attainable = 0;  ///< Those that have it among them.
};
using NearnessCounts = std::array<NearnessCount, nearness_kinds.size()>;

/// Pods with so many GPUs.
struct NearnessOfSize {
    std::size_t gpus = 0;  ///< 0 for pods of any size.
    NearnessCounts kinds{};
};
/// All pods first, then by ascending size those that occur. Over all replications.
[[nodiscard]] std::vector<NearnessOfSize> nearness_by_size(const Devices& devices);

/// Why pods of each size are not as near as can be.
struct LocalityReason {
    std::string text;
    std::uint64_t pods = 0;
    std::vector<std::uint64_t> by_size;  ///< By ReasonTable::sizes.
};
struct ReasonTable {
    std::vector<std::size_t> sizes;    ///< Ascending, those that have a reason.
    std::vector<LocalityReason> rows;  ///< The most frequent first.
};
/// The number of GPUs in a reason is the pod's own, and becomes `enough`, so that pods of all sizes
/// share a row. A pod with more GPUs than one NUMA node of its server has is told apart.
[[nodiscard]] ReasonTable reasons_by_size(const Devices& devices);

/// What the pods got that started within equal stretches of time; over all replications.
struct NearnessWindows {
    double from_s = 0;
    double width_s = 1;
    std::vector<NearnessCounts> windows;
};
/// At most `count_max` + 1 windows of a round width.
[[nodiscard]] NearnessWindows nearness_over_time(const Devices& devices, std::size_t count_max);

/// Free GPUs of replication 0, counted from its pods: columns `gpus_free`, and `gpus_free_broken`,
/// those on NVLink islands (or NUMA nodes) of which not every GPU is free. Wrong where pods were
/// evicted or GPUs were in use before.
///
/// Cost: O(n log n) in the pods of replication 0.
[[nodiscard]] ReplicationSeries free_gpus(const Devices& devices);

}  // namespace berth::report

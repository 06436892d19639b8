#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/kueue/nomination.hpp"

namespace berth::core::kueue {

/// What heads that are offered again and again were nominated for, so that nothing is searched anew
/// as long as nothing below the root of their cohorts has changed: heads of StrictFIFO queues, and
/// those who wait for whom they preempt.
///
/// A nomination depends on the workload, on where its scan of flavors begins, and on quota, usage
/// and workloads of its tree alone. Where orders depend on the time or on the usage of local
/// queues, or places are searched in a topology that all trees share, nothing is remembered.
class NominationMemory {
public:
    /// What was found the last time, or nullptr.
    [[nodiscard]] const Nomination* find(const Cache& cache,
                                         const Workload& workload,
                                         const LastAssignment* last) const;
    void keep(const Cache& cache,
              const Workload& workload,
              const LastAssignment* last,
              const Nomination& nomination);

private:
    struct Kept {
        std::uint64_t offer = 0;
        std::uint64_t version = 0;
        std::optional<TriedFlavors> tried;
        Nomination nomination;
    };
    std::vector<std::optional<Kept>> kept_;  ///< By queue, of its last head.
};

}  // namespace berth::core::kueue

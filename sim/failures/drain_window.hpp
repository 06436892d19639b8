#pragma once

#include <cstdint>
#include <optional>

#include "core/tree/ids.hpp"
#include "sim/clock/time.hpp"

namespace berth::sim {

/// A part of the cluster is drained: from `at` on no job starts there, and its servers leave as
/// soon as they are empty, to come back at `until`. Scheduler and jobs know of it from the
/// beginning.
struct DrainWindow {
    SimTime at{};
    SimTime until{};
    core::NodeId node;   ///< The drained node, with everything below it.
    SimTime grace{};     ///< How long an evicted job works on before it leaves.
    bool evicts = true;  ///< Whether preemptible jobs are evicted; otherwise all jobs stay until
                         ///< they end.
};

/// What became of one window.
struct DrainRecord {
    DrainWindow window;
    std::optional<SimTime> emptied;  ///< When the last of its servers became empty.
    std::uint64_t jobs = 0;          ///< How many jobs it evicted.
};

}  // namespace berth::sim

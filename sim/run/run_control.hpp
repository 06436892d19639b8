#pragma once

#include <atomic>
#include <cstdint>

namespace berth::sim {

/// What other threads may say to a run, and see of it.
struct RunControl {
    std::atomic<bool> stop = false;         ///< Set it, from a signal too, and the run ends soon.
    std::atomic<std::uint64_t> events = 0;  ///< Handled so far, in steps of 1024.
    /// Set it before the run begins, and after each event the run computes its whole state afresh;
    /// it ends with an InvariantError (sim/run/invariants.hpp) where that is another.
    bool check_invariants = false;
    std::atomic<std::uint64_t> events_checked = 0;
};

}  // namespace berth::sim

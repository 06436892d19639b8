#pragma once

#include <atomic>
#include <cstdint>

namespace berth::sim {

/// What other threads may tell a run, and see of it.
struct RunControl {
    std::atomic<bool> stop = false;         ///< If set, also by a signal, the run ends soon.
    std::atomic<std::uint64_t> events = 0;  ///< Events handled so far, in steps of 1024.
    /// If set before the run begins, the run computes its whole state afresh after each event, and
    /// ends with an InvariantError (sim/run/invariants.hpp) if that is different.
    bool check_invariants = false;
    std::atomic<std::uint64_t> events_checked = 0;
};

}  // namespace berth::sim

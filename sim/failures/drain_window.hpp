#pragma once

#include <cstdint>
#include <optional>

#include "core/tree/ids.hpp"
#include "sim/clock/time.hpp"

namespace berth::sim {

/// A part of the cluster is drained: from `at` on nobody starts there, and its servers leave as
/// soon as they are empty, to be back at `until`. Everybody knows of it from the beginning.
struct DrainWindow {
    SimTime at{};
    SimTime until{};
    core::NodeId node;   ///< It and all below it.
    SimTime grace{};     ///< So long who is evicted works on.
    bool evicts = true;  ///< Those who may be preempted; otherwise everybody stays until its end.
};

/// What became of one window.
struct DrainRecord {
    DrainWindow window;
    std::optional<SimTime> emptied;  ///< When the last of its servers was empty.
    std::uint64_t jobs = 0;          ///< How many it evicted.
};

}  // namespace berth::sim

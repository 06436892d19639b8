#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace berth::sim {

/// What becomes of a waiting job if something is different.
struct Answer {
    enum class Outcome : std::uint8_t {
        refused,
        admitted,
        preempts,  ///< It is admitted once the jobs that are preempted for it have stopped.
    };
    Outcome outcome = Outcome::refused;
    /// The names of preempted jobs, in the order in which they are chosen.
    std::vector<std::string> preempted{};
};

}  // namespace berth::sim

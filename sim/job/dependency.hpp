#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/clock/time.hpp"

namespace berth::sim {

/// What a job waits for before it comes: other jobs.
struct Dependency {
    /// As Slurm's after, afterany and afterok.
    enum class On : std::uint8_t {
        start,    ///< They have started, or ended without.
        end,      ///< They have ended.
        success,  ///< They have ended, and none was refused, dropped or stopped at its time limit.
    };
    std::string name;          ///< Of the job or the jobs, for people.
    std::uint64_t number = 0;  ///< Theirs: one of Ties::numbers.
    std::uint32_t jobs = 1;    ///< How many jobs of the run have this number.
    On on = On::success;
    SimTime delay{};  ///< It comes so long after that.

    [[nodiscard]] bool operator==(const Dependency&) const = default;
};

/// How a job hangs together with others.
struct Ties {
    std::vector<std::uint64_t> numbers;  ///< By which others name it; empty: nobody comes after it.
    std::vector<Dependency> after;       ///< It comes once all of these are met.
};

}  // namespace berth::sim

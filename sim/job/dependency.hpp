#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/clock/time.hpp"

namespace berth::sim {

/// Other jobs that a job waits for before it is submitted.
struct Dependency {
    /// The kinds of Slurm's after, afterany and afterok.
    enum class On : std::uint8_t {
        start,    ///< The other jobs have started, or ended without a start.
        end,      ///< The other jobs have ended.
        success,  ///< They have ended, and none was refused, dropped or stopped at its time limit.
    };
    std::string name;          ///< Name of the other job or jobs, for people.
    std::uint64_t number = 0;  ///< Number of the other jobs: one of their Ties::numbers.
    std::uint32_t jobs = 1;    ///< How many jobs of the run have this number.
    On on = On::success;
    SimTime delay{};  ///< How long after that the job is submitted.

    [[nodiscard]] bool operator==(const Dependency&) const = default;
};

/// How a job is tied to others.
struct Ties {
    std::vector<std::uint64_t> numbers;  ///< Numbers by which others name this job; empty: no job
                                         ///< comes after it.
    std::vector<Dependency> after;       ///< It is submitted once all of these are met.
};

}  // namespace berth::sim

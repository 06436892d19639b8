#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace berth::core::rounds {

/// The jobs that a decision is about: arrays of one length, in the order of the jobs' numbers.
///
/// Units: speeds in millionths of a step a second, work in millionths of a step.
struct ActiveJobs {
    std::vector<std::uint32_t> number;  ///< Grows with each arrival; ties go to the lower one.
    std::vector<std::int32_t> gpus;
    std::vector<std::int64_t> speed;                ///< What the scheduler believes, above 0.
    std::vector<std::int64_t> left;                 ///< The work that is left, above 0.
    std::vector<std::chrono::nanoseconds> age;      ///< The time since the arrival.
    std::vector<std::chrono::nanoseconds> ran;      ///< In leases that are over, with launches.
    std::vector<std::chrono::nanoseconds> running;  ///< In the present lease, with its launch.

    [[nodiscard]] std::size_t size() const { return number.size(); }
    void clear() {
        number.clear();
        gpus.clear();
        speed.clear();
        left.clear();
        age.clear();
        ran.clear();
        running.clear();
    }
};

/// The share of time that each job gets, from 0 to 1, in the order of the jobs.
using Shares = std::vector<double>;

[[nodiscard]] inline double in_seconds(std::chrono::nanoseconds time) {
    return double(time.count()) / 1e9;
}

}  // namespace berth::core::rounds

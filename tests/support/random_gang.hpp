#pragma once

#include <chrono>
#include <cstdint>

#include "sim/job/job.hpp"
#include "tests/support/dice.hpp"
#include "tests/support/random_cluster.hpp"

namespace berth::tests {

/// Turns a job into a group of up to 5 members on a tree of three levels; the group may grow or
/// shrink.
inline void make_group(Dice& dice, sim::Job& job) {
    job.group = true;
    job.size = dice.roll(1, 5);
    job.min_available = dice.roll(1, job.size);
    job.constraints = random_constraints(dice, 3, true);
    sim::SimTime at = job.submit;
    for (std::int64_t resizes = dice.roll(0, 2); resizes > 0; --resizes) {
        at += std::chrono::seconds(dice.roll(0, 20));
        job.resizes.push_back({at, dice.roll(1, 6)});
    }
}

}  // namespace berth::tests

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace berth::core::rounds {

using Workers = std::vector<std::uint32_t>;  ///< Numbers of GPUs, ascending.

/// A job that runs in the next round.
struct Scheduled {
    std::uint32_t number = 0;
    std::int32_t gpus = 0;
    Workers workers;  ///< Before the choice, those of its last lease; afterwards those that it has.
};

/// What became of a job when its turn came.
struct Turn {
    std::size_t job = 0;    ///< Its position among the jobs.
    std::int64_t free = 0;  ///< How many GPUs were left then.
    bool fits = false;
};

/// Goes through jobs in the given order. Each takes its GPUs if as many are left, and is skipped
/// otherwise. `gpus`: what each job asks for, by its position.
/// Returns: the turns in that order.
[[nodiscard]] std::vector<Turn> take_turns(const std::vector<std::int32_t>& gpus,
                                           const std::vector<std::size_t>& order,
                                           std::int64_t free);

/// Chooses the GPUs of jobs that all fit. Jobs that ask for more come first; among equal ones,
/// those that can keep their GPUs do, and the others get the lowest free numbers in the order of
/// `jobs`.
///
/// Shape: `free` says of each GPU whether it can be given out. A job for which too few are left
///        gets none.
void choose_workers(std::vector<Scheduled>& jobs, std::vector<bool> free);

}  // namespace berth::core::rounds

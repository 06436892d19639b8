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

/// Takes jobs in the given order as long as they fit into the GPUs that are left, and skips those
/// that do not. Returns: the positions in `gpus` of those that fit.
[[nodiscard]] std::vector<std::size_t> that_fit(const std::vector<std::int32_t>& gpus,
                                                const std::vector<std::size_t>& order,
                                                std::int64_t free);

/// Chooses the GPUs of jobs that all fit. Jobs that ask for more come first; among equal ones,
/// those that can keep their GPUs do, and the others get the lowest free numbers in the order of
/// `jobs`.
///
/// Shape: the jobs ask for no more than `workers` GPUs together.
void choose_workers(std::vector<Scheduled>& jobs, std::size_t workers);

}  // namespace berth::core::rounds

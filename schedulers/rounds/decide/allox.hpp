#pragma once

#include <cstdint>
#include <map>

#include "schedulers/rounds/decide/active_jobs.hpp"

namespace berth::core::rounds {

/// Matches jobs with GPUs and positions in the queues of GPUs, so that the sum of the times until
/// jobs end is least. A job that got a whole GPU keeps it until it ends.
///
/// Limits: a job that asks for several GPUs gets one GPU's worth of time, which it keeps although
///         it is matched anew each time.
/// Cost:   O(n^4) for n GPUs that nobody keeps, or n^2 x GPUs for the oldest fifth n of the jobs,
///         if these are more.
/// Source: AlloX (EuroSys 2020) as the Shockwave artifact configures it, with a fifth of the jobs.
class Allox {
public:
    explicit Allox(std::int64_t gpus) : gpus_(gpus) {}

    [[nodiscard]] Shares shares(const ActiveJobs& jobs);

private:
    std::int64_t gpus_;
    std::map<std::uint32_t, double> given_;  ///< The shares of the last call, by number.
};

}  // namespace berth::core::rounds

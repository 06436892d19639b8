#pragma once

#include <cstdint>

#include "schedulers/rounds/decide/active_jobs.hpp"

namespace berth::core::rounds {

/// Each job gets an equal part of the GPUs' time, whatever it asks for.
///
/// Source: Gandiva-Fair as the Shockwave artifact configures it (NSDI 2023).
[[nodiscard]] Shares equal_shares(const ActiveJobs& jobs, std::int64_t gpus);

/// The least number of GPUs that a job has, over time, is as large as possible; all speeds count
/// as one.
///
/// Source: max-min fairness of Gavel (OSDI 2020). With more GPUs than jobs the optimum is not
///         unique, and each job gets all of its time.
[[nodiscard]] Shares max_min_shares(const ActiveJobs& jobs, std::int64_t gpus);

/// The most steps a second over all jobs: GPUs go to the jobs with the most steps a second and GPU,
/// and the last of them may get a part of its time.
///
/// Order:  ties go to the lower number.
/// Cost:   O(jobs + n log jobs) for n jobs that get a share.
/// Source: the policy of the maximum sum of throughputs of Gavel, whose linear program has one
///         constraint on GPUs and is a fractional knapsack.
[[nodiscard]] Shares fastest_first_shares(const ActiveJobs& jobs, std::int64_t gpus);

}  // namespace berth::core::rounds

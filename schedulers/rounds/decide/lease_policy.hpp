#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "schedulers/rounds/decide/active_jobs.hpp"

namespace berth::core::rounds {

/// Gives each job a share of time. It is asked after each arrival, each end, and each change of a
/// batch size, and may remember what it gave.
using LeasePolicy = std::function<Shares(const ActiveJobs& jobs)>;

/// The names of the policies that work with leases.
[[nodiscard]] const std::vector<std::string>& lease_policies();
/// Makes one of them by its name, for a cluster of so many GPUs.
[[nodiscard]] LeasePolicy make_lease_policy(std::string_view name, std::int64_t gpus);

}  // namespace berth::core::rounds

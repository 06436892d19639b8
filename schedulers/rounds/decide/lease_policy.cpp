#include "schedulers/rounds/decide/lease_policy.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>

#include "core/support/assert.hpp"
#include "schedulers/rounds/decide/allox.hpp"
#include "schedulers/rounds/decide/fair_shares.hpp"
#include "schedulers/rounds/decide/finish_time_fairness.hpp"

namespace berth::core::rounds {
namespace {

/// Alone, a job has its speed for its part of the time.
Shares fair_in_finish_time(FinishTimeFairness& fairness,
                           const ActiveJobs& jobs,
                           std::int64_t gpus) {
    const double part = double(gpus) / double(jobs.size());
    std::vector<FairnessView> views;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const double speed = double(jobs.speed[i]) / 1e6;
        views.push_back({jobs.number[i],
                         jobs.gpus[i],
                         in_seconds(jobs.age[i]),
                         double(jobs.left[i]) / 1e6,
                         speed,
                         speed * std::min(1.0, part / double(jobs.gpus[i]))});
    }
    return fairness.shares(views);
}

}  // namespace

const std::vector<std::string>& lease_policies() {
    static const std::vector<std::string> names{
        "max-min", "mst", "allox", "themis", "gandiva-fair"};
    return names;
}

LeasePolicy make_lease_policy(std::string_view name, std::int64_t gpus) {
    if (name == "allox") {
        return [allox = Allox(gpus)](const ActiveJobs& jobs) mutable { return allox.shares(jobs); };
    }
    if (name == "themis") {
        return [fairness = FinishTimeFairness(gpus), gpus](const ActiveJobs& jobs) mutable {
            return fair_in_finish_time(fairness, jobs, gpus);
        };
    }
    const auto shares = name == "max-min" ? max_min_shares
                        : name == "mst"   ? fastest_first_shares
                                          : equal_shares;
    BERTH_ASSERT(shares != equal_shares || name == "gandiva-fair", "the policy is there");
    return [shares, gpus](const ActiveJobs& jobs) { return shares(jobs, gpus); };
}

}  // namespace berth::core::rounds

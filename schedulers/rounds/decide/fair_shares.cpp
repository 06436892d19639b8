#include "schedulers/rounds/decide/fair_shares.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace berth::core::rounds {

Shares equal_shares(const ActiveJobs& jobs, std::int64_t gpus) {
    const double part = double(gpus) / double(jobs.size());
    return Shares(jobs.size(), std::min(1.0, part));
}

Shares max_min_shares(const ActiveJobs& jobs, std::int64_t gpus) {
    if (std::int64_t(jobs.size()) < gpus) {
        return Shares(jobs.size(), 1.0);
    }
    const double part = double(gpus) / double(jobs.size());
    Shares shares(jobs.size());
    std::ranges::transform(jobs.gpus, shares.begin(), [&](std::int32_t asked) {
        return std::min(1.0, part / double(asked));
    });
    return shares;
}

Shares fastest_first_shares(const ActiveJobs& jobs, std::int64_t gpus) {
    std::vector<double> speed_of_gpu(jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        speed_of_gpu[i] = double(jobs.speed[i]) / 1e6 / double(jobs.gpus[i]);
    }
    std::vector<std::size_t> order(jobs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(
        order, [&](std::size_t a, std::size_t b) { return speed_of_gpu[a] > speed_of_gpu[b]; });
    Shares shares(jobs.size());
    double free = double(gpus);
    for (const std::size_t i : order) {
        shares[i] = std::min(1.0, free / double(jobs.gpus[i]));
        free -= shares[i] * double(jobs.gpus[i]);
    }
    return shares;
}

}  // namespace berth::core::rounds

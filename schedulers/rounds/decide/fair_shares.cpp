#include "schedulers/rounds/decide/fair_shares.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <tuple>
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
    std::vector<std::size_t> heap(jobs.size());
    std::iota(heap.begin(), heap.end(), std::size_t{0});
    const auto is_later = [&](std::size_t a, std::size_t b) {
        return std::tie(speed_of_gpu[a], b) < std::tie(speed_of_gpu[b], a);
    };
    std::ranges::make_heap(heap, is_later);
    Shares shares(jobs.size());
    double free = double(gpus);
    // With rounded shares, a little may be left, or missing, after the last job that fits.
    for (auto end = heap.end(); end != heap.begin() && free != 0; --end) {
        std::ranges::pop_heap(heap.begin(), end, is_later);
        const std::size_t i = *(end - 1);
        shares[i] = std::min(1.0, free / double(jobs.gpus[i]));
        free -= shares[i] * double(jobs.gpus[i]);
    }
    return shares;
}

}  // namespace berth::core::rounds

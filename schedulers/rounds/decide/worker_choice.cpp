#include "schedulers/rounds/decide/worker_choice.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <set>
#include <utility>

namespace berth::core::rounds {
namespace {

/// GPUs by number, from which the lowest free ones are taken.
class FreeWorkers {
public:
    explicit FreeWorkers(std::vector<bool> free)
        : free_(std::move(free)), count_(std::ranges::count(free_, true)) {}

    /// Returns whether all of these were free, and then takes them.
    bool take(const Workers& workers) {
        if (!std::ranges::all_of(workers, [&](std::uint32_t one) { return free_[one]; })) {
            return false;
        }
        for (const std::uint32_t one : workers) {
            free_[one] = false;
        }
        count_ -= static_cast<std::ptrdiff_t>(workers.size());
        return true;
    }
    /// Nothing if there are too few.
    Workers take_lowest(std::int32_t count) {
        Workers taken;
        if (count > count_) {
            return taken;
        }
        for (count_ -= count; count > 0; ++lowest_) {
            if (free_[lowest_]) {
                free_[lowest_] = false;
                taken.push_back(static_cast<std::uint32_t>(lowest_));
                --count;
            }
        }
        return taken;
    }

private:
    std::vector<bool> free_;
    std::ptrdiff_t count_;
    std::size_t lowest_ = 0;  ///< No GPU with a lower number is free.
};

}  // namespace

std::vector<Turn> take_turns(const std::vector<std::int32_t>& gpus,
                             const std::vector<std::size_t>& order,
                             std::int64_t free) {
    std::vector<Turn> turns;
    turns.reserve(order.size());
    for (const std::size_t i : order) {
        turns.push_back({i, free, gpus[i] <= free});
        free -= turns.back().fits ? gpus[i] : 0;
    }
    return turns;
}

void choose_workers(std::vector<Scheduled>& jobs, std::vector<bool> free) {
    std::set<std::int32_t, std::greater<>> sizes;
    for (const Scheduled& job : jobs) {
        sizes.insert(job.gpus);
    }
    FreeWorkers workers(std::move(free));
    for (const std::int32_t size : sizes) {
        std::vector<Scheduled*> others;
        for (Scheduled& job : jobs) {
            if (job.gpus == size && (job.workers.empty() || !workers.take(job.workers))) {
                others.push_back(&job);
            }
        }
        for (Scheduled* job : others) {
            job->workers = workers.take_lowest(size);
        }
    }
}

}  // namespace berth::core::rounds

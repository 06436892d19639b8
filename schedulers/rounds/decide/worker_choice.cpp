#include "schedulers/rounds/decide/worker_choice.hpp"

#include <algorithm>
#include <functional>
#include <set>

#include "core/support/assert.hpp"

namespace berth::core::rounds {
namespace {

/// GPUs by number, from which the lowest free ones are taken.
class FreeWorkers {
public:
    explicit FreeWorkers(std::size_t count) : free_(count, true) {}

    /// Returns whether all of these were free, and then takes them.
    bool take(const Workers& workers) {
        if (!std::ranges::all_of(workers, [&](std::uint32_t one) { return free_[one]; })) {
            return false;
        }
        for (const std::uint32_t one : workers) {
            free_[one] = false;
        }
        return true;
    }
    Workers take_lowest(std::int32_t count) {
        Workers taken;
        for (; count > 0; ++lowest_) {
            BERTH_ASSERT(lowest_ < free_.size(), "the jobs of a round fit");
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
    std::size_t lowest_ = 0;  ///< No GPU with a lower number is free.
};

}  // namespace

std::vector<std::size_t> that_fit(const std::vector<std::int32_t>& gpus,
                                  const std::vector<std::size_t>& order,
                                  std::int64_t free) {
    std::vector<std::size_t> taken;
    for (const std::size_t i : order) {
        if (gpus[i] <= free) {
            free -= gpus[i];
            taken.push_back(i);
        }
    }
    return taken;
}

void choose_workers(std::vector<Scheduled>& jobs, std::size_t workers) {
    std::set<std::int32_t, std::greater<>> sizes;
    for (const Scheduled& job : jobs) {
        sizes.insert(job.gpus);
    }
    FreeWorkers free(workers);
    for (const std::int32_t size : sizes) {
        std::vector<Scheduled*> others;
        for (Scheduled& job : jobs) {
            if (job.gpus == size && (job.workers.empty() || !free.take(job.workers))) {
                others.push_back(&job);
            }
        }
        for (Scheduled* job : others) {
            job->workers = free.take_lowest(size);
        }
    }
}

}  // namespace berth::core::rounds

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include "schedulers/rounds/decide/tick_policy.hpp"

namespace berth::core::rounds {
namespace {

using std::chrono::nanoseconds;

class LeastAttained final : public TickPolicy {
public:
    explicit LeastAttained(const QueueLimits& limits) : limits_(limits) {}

    [[nodiscard]] bool wants_to_decide(nanoseconds now, const TickJobs& jobs) const override {
        return std::ranges::any_of(order_, [&](const Ranked& one) {
            if (!one.placed) {
                return false;
            }
            const TickJob& job = jobs[one.job];
            return job.runs && queue_of(one, job, now) != one.key;
        });
    }

private:
    static constexpr std::size_t queues = 3;

    /// A job's key is the number of its queue, which it never goes back from.
    [[nodiscard]] Ranked::Key queue_of(const Ranked& one,
                                       const TickJob& job,
                                       nanoseconds now) const {
        const nanoseconds ran = job.ran_until(now);
        std::size_t queue = static_cast<std::size_t>(one.key);
        // A quotient that is rounded up, since a product may not fit.
        while (queue < limits_.size() &&
               ran >= (limits_[queue] + nanoseconds(job.gpus - 1)) / job.gpus) {
            ++queue;
        }
        return queue;
    }

    /// Only jobs that have had places may have changed their queues.
    void sort(nanoseconds now, const TickJobs& jobs, std::size_t /*first_new*/) override {
        for (auto& queue : parts_) {
            for (std::vector<Ranked>& part : queue) {
                part.clear();
            }
        }
        for (Ranked& one : order_) {
            const Ranked::Key before = one.key;
            one.key = one.placed ? queue_of(one, jobs[one.job], now) : before;
            const Part part = one.key != before ? moved : one.placed ? ran : waited;
            parts_[static_cast<std::size_t>(one.key)][part].push_back(one);
        }
        order_.clear();
        for (const auto& queue : parts_) {
            for (const std::vector<Ranked>& part : queue) {
                order_.insert(order_.end(), part.begin(), part.end());
            }
        }
    }

    enum Part : std::uint8_t { ran, waited, moved, parts };

    QueueLimits limits_;
    std::array<std::array<std::vector<Ranked>, parts>, queues> parts_;
};

}  // namespace

std::unique_ptr<TickPolicy> make_least_attained(const QueueLimits& limits) {
    return std::make_unique<LeastAttained>(limits);
}

}  // namespace berth::core::rounds

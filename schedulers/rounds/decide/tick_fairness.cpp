#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "schedulers/rounds/decide/active_jobs.hpp"
#include "schedulers/rounds/decide/finish_time_fairness.hpp"
#include "schedulers/rounds/decide/tick_policy.hpp"

namespace berth::core::rounds {
namespace {

using std::chrono::nanoseconds;

class TickFairness final : public TickPolicy {
public:
    TickFairness(std::int64_t gpus, nanoseconds tick)
        : gpus_(gpus), tick_(in_seconds(tick)), fairness_(gpus) {}

private:
    using Urgency = std::tuple<double, double, double>;  ///< More is more urgent.

    [[nodiscard]] std::vector<double> shares(nanoseconds now, const TickJobs& jobs) {
        const auto count = static_cast<std::int64_t>(order_.size());
        const std::int64_t part = (gpus_ + count - 1) / count;
        std::vector<FairnessView> views;
        for (const Ranked& one : order_) {
            const TickJob& job = jobs[one.job];
            views.push_back({one.job,
                             job.gpus,
                             in_seconds(now - job.submit),
                             double(job.left) / 1e6,
                             double(job.speed) / 1e6,
                             std::min(1.0, double(part) / double(job.gpus))});
        }
        return fairness_.shares(views);
    }

    void sort(nanoseconds now, const TickJobs& jobs, std::size_t first_new) override {
        for (std::size_t i = first_new; i < order_.size(); ++i) {
            fairness_.forget(order_[i].job);
            granted_.resize(std::max<std::size_t>(granted_.size(), order_[i].job + std::size_t{1}));
            granted_[order_[i].job] = 0;
        }
        if (order_.empty()) {
            return;
        }
        const std::vector<double> fractions = shares(now, jobs);
        std::vector<std::pair<Urgency, Ranked>> keyed;
        for (std::size_t i = 0; i < order_.size(); ++i) {
            const TickJob& job = jobs[order_[i].job];
            const double share = fractions[i];
            const double turns = job.launches == 0 ? share * 1e9 : share / double(job.launches);
            double& granted = granted_[order_[i].job];
            keyed.push_back({{turns, granted - in_seconds(job.ran_until(now)), share}, order_[i]});
            granted += share * tick_;
        }
        std::ranges::stable_sort(keyed,
                                 [](const auto& a, const auto& b) { return a.first > b.first; });
        std::ranges::transform(keyed, order_.begin(), [](const auto& one) { return one.second; });
    }

    /// Those that fit in order are placed anew, the largest first.
    void place(const TickJobs& jobs, ServerPlaces& cluster, TickPlaces& out) override {
        TickPolicy::place(jobs, cluster, out);
        std::vector<std::size_t> chosen = out.jobs;
        std::ranges::stable_sort(chosen, [&](std::size_t a, std::size_t b) {
            return jobs[order_[a].job].gpus > jobs[order_[b].job].gpus;
        });
        cluster.reset();
        out = {};
        for (const std::size_t position : chosen) {
            place_one(position, jobs, cluster, out);
        }
    }

    std::int64_t gpus_;
    double tick_;
    FinishTimeFairness fairness_;
    std::vector<double> granted_;  ///< By slot, the seconds that its shares gave a job.
};

}  // namespace

std::unique_ptr<TickPolicy> make_tick_fairness(std::int64_t gpus, nanoseconds tick) {
    return std::make_unique<TickFairness>(gpus, tick);
}

}  // namespace berth::core::rounds

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "schedulers/rounds/decide/active_jobs.hpp"
#include "schedulers/rounds/decide/finish_time_fairness.hpp"
#include "schedulers/rounds/decide/tick_policy.hpp"
#include "schedulers/rounds/decide/urgency.hpp"

namespace berth::core::rounds {
namespace {

using std::chrono::nanoseconds;

class TickFairness final : public TickPolicy {
public:
    TickFairness(std::int64_t gpus, nanoseconds tick)
        : gpus_(gpus), tick_(in_seconds(tick)), fairness_(gpus) {}

private:
    [[nodiscard]] const std::vector<double>& shares(nanoseconds now, const TickJobs& jobs) {
        const auto count = static_cast<std::int64_t>(order_.size());
        const std::int64_t part = (gpus_ + count - 1) / count;
        views_.clear();
        for (const Ranked& one : order_) {
            const TickJob& job = jobs[one.job];
            views_.push_back({one.job,
                              job.gpus,
                              in_seconds(now - job.submit),
                              double(job.left) / 1e6,
                              double(job.speed) / 1e6,
                              std::min(1.0, double(part) / double(job.gpus))});
        }
        return fairness_.shares(views_);
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
        const std::vector<double>& fractions = shares(now, jobs);
        urgency_.clear();
        for (std::size_t i = 0; i < order_.size(); ++i) {
            const TickJob& job = jobs[order_[i].job];
            const double share = fractions[i];
            const double turns = job.launches == 0 ? share * 1e9 : share / double(job.launches);
            double& granted = granted_[order_[i].job];
            urgency_.push_back({turns, granted - in_seconds(job.ran_until(now)), share, i});
            granted += share * tick_;
        }
        sort_by_urgency(urgency_);
        before_ = order_;
        std::ranges::transform(
            urgency_, order_.begin(), [&](const Urgency& one) { return before_[one.was]; });
    }

    /// Those that fit in order are placed anew, the largest first.
    void place(ServerPlaces& cluster, TickPlaces& out) override {
        TickPolicy::place(cluster, out);
        const std::vector<std::size_t> fitted = largest_first(std::move(out.jobs));
        cluster.reset();
        out.clear();
        for (const std::size_t position : fitted) {
            place_one(position, cluster, out);
        }
    }

    std::int64_t gpus_;
    double tick_;
    FinishTimeFairness fairness_;
    std::vector<double> granted_;  ///< By slot, the seconds that its shares gave a job.
    // Each decision fills these anew; they are members so that it need not allocate them.
    std::vector<FairnessView> views_;
    std::vector<Urgency> urgency_;
    std::vector<Ranked> before_;
};

}  // namespace

std::unique_ptr<TickPolicy> make_tick_fairness(std::int64_t gpus, nanoseconds tick) {
    return std::make_unique<TickFairness>(gpus, tick);
}

}  // namespace berth::core::rounds

#include "schedulers/rounds/decide/finish_time_fairness.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace berth::core::rounds {

void FinishTimeFairness::look(const std::vector<FairnessView>& jobs) {
    needs_.clear();
    for (const FairnessView& job : jobs) {
        past_.resize(std::max<std::size_t>(past_.size(), job.job + std::size_t{1}));
        Past& past = past_[job.job];
        past.alone = past.is_known ? past.alone + (past.left - job.left) / past.speed_alone : 0;
        past = {past.alone, job.left, job.speed_alone, true};
        needs_.push_back({double(job.gpus),
                          job.age,
                          job.left / job.speed,
                          past.alone + job.left / job.speed_alone});
    }
}

void FinishTimeFairness::forget(std::uint32_t job) {
    if (job < past_.size()) {
        past_[job] = {};
    }
}

/// Finds the least shares with which all jobs reach the ratio, if there is room for them.
bool FinishTimeFairness::reaches(double ratio) {
    shares_.clear();
    double used = 0;
    for (const Need& need : needs_) {
        const double time = ratio * need.alone - need.age;
        if (time <= 0 || need.work > time) {
            return false;
        }
        shares_.push_back(need.work / time);
        used += shares_.back() * need.gpus;
        if (used > double(gpus_)) {
            return false;
        }
    }
    return true;
}

void FinishTimeFairness::find_shares() {
    double low = 0;
    double high = 1;
    while (!reaches(high)) {
        low = std::exchange(high, high * 2);
    }
    constexpr int halvings = 60;
    for (int i = 0; i < halvings; ++i) {
        const double middle = (low + high) / 2;
        (reaches(middle) ? high : low) = middle;
    }
    static_cast<void>(reaches(high));
}

/// Shares that the factor brings to 1 stop there, and the others are multiplied anew.
void FinishTimeFairness::give_out_the_rest() {
    std::vector<bool> is_whole(needs_.size());
    std::size_t whole = 0;
    double factor = 1;
    for (bool has_grown = true; has_grown && whole < needs_.size();) {
        double free = double(gpus_);
        double weight = 0;
        for (std::size_t i = 0; i < needs_.size(); ++i) {
            if (is_whole[i]) {
                free -= needs_[i].gpus;
            } else {
                weight += shares_[i] * needs_[i].gpus;
            }
        }
        factor = free / weight;
        has_grown = false;
        for (std::size_t i = 0; i < needs_.size(); ++i) {
            if (!is_whole[i] && shares_[i] * factor >= 1) {
                is_whole[i] = true;
                ++whole;
                has_grown = true;
            }
        }
    }
    for (std::size_t i = 0; i < needs_.size(); ++i) {
        shares_[i] = is_whole[i] ? 1 : shares_[i] * factor;
    }
}

std::vector<double> FinishTimeFairness::shares(const std::vector<FairnessView>& jobs) {
    look(jobs);
    if (!jobs.empty()) {
        find_shares();
        give_out_the_rest();
    }
    return shares_;
}

}  // namespace berth::core::rounds

#include "schedulers/rounds/decide/finish_time_fairness.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace berth::core::rounds {

void FinishTimeFairness::look(const std::vector<FairnessView>& jobs) {
    needs_.clear();
    for (const FairnessView& job : jobs) {
        past_.resize(std::max<std::size_t>(past_.size(), job.job + std::size_t{1}));
        Past& past = past_[job.job];
        // Steps that a smaller batch size adds take nothing from what was done.
        const double done = past.is_known ? std::max(past.left - job.left, 0.0) : 0.0;
        past.alone = past.is_known ? past.alone + done / past.speed_alone : 0.0;
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

/// A ratio near the least one: by Newton's method for the sum of the shares, which is convex in the
/// ratio, from below.
double FinishTimeFairness::near_least_ratio() const {
    double ratio = 0;
    for (const Need& need : needs_) {
        ratio = std::max(ratio, (need.work + need.age) / need.alone);
    }
    constexpr int steps_max = 50;
    constexpr double close = 0x1p-50;
    for (int step = 0; step < steps_max; ++step) {
        double missing = -double(gpus_);
        double slope = 0;
        for (const Need& need : needs_) {
            const double time = ratio * need.alone - need.age;
            const double used = time > 0 ? need.work / time * need.gpus : 0;
            missing += used;
            slope += time > 0 ? used * need.alone / time : 0;
        }
        if (missing <= 0 || missing <= slope * ratio * close) {
            break;
        }
        ratio += missing / slope;
    }
    return ratio;
}

/// The shares for the least ratio that all reach: the least double, or the least multiple of 2^-60
/// if that is coarser. All operations of reaches() are rounded, but never in the wrong
/// direction, so that all larger ratios are reached as well.
void FinishTimeFairness::find_shares() {
    double high = near_least_ratio();
    double low = high;
    double gap = high * 0x1p-50;
    for (; !reaches(high); gap *= 2) {
        low = high;
        high += gap;
    }
    for (; low == high || reaches(low); gap *= 2) {
        high = low;
        low -= gap;
    }
    for (double middle = (low + high) / 2; low < middle && middle < high;
         middle = (low + high) / 2) {
        (reaches(middle) ? high : low) = middle;
    }
    if (high < 0x1p-8) {
        high = std::ceil(high * 0x1p60) * 0x1p-60;
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

const std::vector<double>& FinishTimeFairness::shares(const std::vector<FairnessView>& jobs) {
    look(jobs);
    if (!jobs.empty()) {
        find_shares();
        give_out_the_rest();
    }
    return shares_;
}

}  // namespace berth::core::rounds

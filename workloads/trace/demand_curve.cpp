#include "workloads/trace/demand_curve.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace berth::workloads {

using sim::SimTime;

namespace {

constexpr std::size_t steps_max = 4096;

/// What is in use over one stretch of time.
struct Stretch {
    std::int64_t begin = 0;  ///< Its first step.
    double level = 0;
    double length = 0;
};

double median_level(std::vector<Stretch> stretches) {
    std::ranges::sort(stretches, {}, &Stretch::level);
    double whole = 0;
    for (const Stretch& stretch : stretches) {
        whole += stretch.length;
    }
    double so_far = 0;
    for (const Stretch& stretch : stretches) {
        so_far += stretch.length;
        if (2 * so_far >= whole) {
            return stretch.level;
        }
    }
    return 0;
}

}  // namespace

std::int64_t DemandCurve::step_of(SimTime at) const {
    const std::int64_t step = at / width_;
    return at < step * width_ ? step - 1 : step;  // below zero too, towards the past
}

void DemandCurve::add(SimTime at, double amount) {
    changes_[step_of(at)] += amount;
    while (changes_.size() > steps_max) {
        widen();
    }
}

void DemandCurve::widen() {
    width_ *= 2;
    std::map<std::int64_t, double> wider;
    // They come in their new order already, and the entries are those that there are.
    while (!changes_.empty()) {
        auto change = changes_.extract(changes_.begin());
        change.key() >>= 1;
        if (!wider.empty() && wider.rbegin()->first == change.key()) {
            wider.rbegin()->second += change.mapped();
        } else {
            wider.insert(wider.end(), std::move(change));
        }
    }
    changes_ = std::move(wider);
}

std::optional<SimTime> DemandCurve::warm_up(SimTime end) const {
    const std::int64_t last = step_of(end);
    std::vector<Stretch> stretches;
    double level = 0;
    for (auto at = changes_.begin(); at != changes_.end() && at->first <= last; ++at) {
        level += at->second;
        const auto next = std::next(at);
        const std::int64_t until =
            next != changes_.end() ? std::min(next->first, last + 1) : last + 1;
        stretches.push_back({at->first, level, static_cast<double>(until - at->first)});
    }
    const double median = median_level(stretches);
    const auto reached = std::ranges::find_if(
        stretches, [&](const Stretch& stretch) { return stretch.level >= median; });
    if (median <= 0 || reached == stretches.end()) {
        return std::nullopt;
    }
    return (reached->begin - stretches.front().begin) * width_;
}

}  // namespace berth::workloads

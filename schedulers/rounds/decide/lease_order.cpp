#include "schedulers/rounds/decide/lease_order.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace berth::core::rounds {

using std::chrono::nanoseconds;

namespace {

constexpr nanoseconds between_resets = std::chrono::seconds(1000);

}  // namespace

void LeaseOrder::take(const ActiveJobs& jobs, const Shares& shares) {
    std::map<std::uint32_t, Own> now;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const auto known = jobs_.find(jobs.number[i]);
        Own own = known == jobs_.end() ? Own() : known->second;
        own.share = shares[i];
        now.emplace_hint(now.end(), jobs.number[i], own);
    }
    jobs_ = std::move(now);
    changed_ = changed_ || jobs.size() > 0;
}

void LeaseOrder::rest(nanoseconds first, nanoseconds every, nanoseconds until) {
    nanoseconds at = first;
    if (const nanoseconds early = reset_at_.value_or(at - between_resets) + between_resets - at;
        early > nanoseconds(0)) {
        at += (early + every - nanoseconds(1)) / every * every;
    }
    if (changed_ && at < until) {
        reset_at_ = at;
        changed_ = false;
    }
}

/// What a process has had counts when it ends.
void LeaseOrder::reset(nanoseconds now, const ActiveJobs& jobs) {
    const double elapsed = in_seconds(now - reset_at_.value_or(nanoseconds(0)));
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        Own& own = jobs_.at(jobs.number[i]);
        own.deficit += own.share * elapsed - in_seconds(jobs.ran[i] - own.ran);
        own.ran = jobs.ran[i];
    }
    reset_at_ = now;
    changed_ = false;
}

std::vector<std::size_t> LeaseOrder::order(nanoseconds now, const ActiveJobs& jobs) {
    if (changed_ && (!reset_at_ || now - *reset_at_ >= between_resets)) {
        reset(now, jobs);
    }
    using Urgency = std::tuple<double, double, double>;  // more is more urgent
    std::vector<Urgency> urgency(jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const Own& own = jobs_.at(jobs.number[i]);
        const nanoseconds running =
            std::min(jobs.running[i], now - reset_at_.value_or(nanoseconds(0)));
        const nanoseconds time = head_start_ + (jobs.ran[i] - own.ran) + running;
        urgency[i] = {own.share / in_seconds(time), own.deficit, own.share};
    }
    std::vector<std::size_t> order(jobs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order,
                             [&](std::size_t a, std::size_t b) { return urgency[a] > urgency[b]; });
    return order;
}

}  // namespace berth::core::rounds

#include "schedulers/rounds/decide/lease_order.hpp"

#include <algorithm>
#include <iterator>

#include "core/support/assert.hpp"
#include "schedulers/rounds/decide/urgency.hpp"

namespace berth::core::rounds {

using std::chrono::nanoseconds;

namespace {

constexpr nanoseconds between_resets = std::chrono::seconds(1000);

}  // namespace

void LeaseOrder::take(const ActiveJobs& jobs, const Shares& shares) {
    forget_all_but(jobs);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        if (i == jobs_.size()) {
            jobs_.push_back({jobs.number[i], 0, 0, {}});
        }
        jobs_[i].share = shares[i];
    }
    changed_ = changed_ || jobs.size() > 0;
}

/// Those that are left have the same positions as in `jobs`.
void LeaseOrder::forget_all_but(const ActiveJobs& jobs) {
    std::size_t next = 0;
    std::erase_if(jobs_, [&](const Own& own) {
        const bool is_there = next < jobs.size() && jobs.number[next] == own.number;
        next += is_there ? 1 : 0;
        return !is_there;
    });
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
        Own& own = jobs_[i];
        own.deficit += own.share * elapsed - in_seconds(jobs.ran[i] - own.ran);
        own.ran = jobs.ran[i];
    }
    reset_at_ = now;
    changed_ = false;
}

std::vector<std::size_t> LeaseOrder::order(nanoseconds now, const ActiveJobs& jobs) {
    forget_all_but(jobs);
    BERTH_ASSERT(jobs_.size() == jobs.size(), "each job has a share");
    if (changed_ && (!reset_at_ || now - *reset_at_ >= between_resets)) {
        reset(now, jobs);
    }
    std::vector<Urgency> urgency;
    urgency.reserve(jobs.size());
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
        const Own& own = jobs_[i];
        const nanoseconds running =
            std::min(jobs.running[i], now - reset_at_.value_or(nanoseconds(0)));
        const nanoseconds time =
            std::max(head_start_ + (jobs.ran[i] - own.ran) + running, nanoseconds(1));
        urgency.push_back({own.share / in_seconds(time), own.deficit, own.share, i});
    }
    sort_by_urgency(urgency);
    std::vector<std::size_t> order;
    order.reserve(jobs.size());
    std::ranges::transform(urgency, std::back_inserter(order), &Urgency::was);
    return order;
}

}  // namespace berth::core::rounds

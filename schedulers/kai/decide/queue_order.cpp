#include "schedulers/kai/decide/queue_order.hpp"

#include <algorithm>

namespace berth::core::kai {
namespace {

/// One side of a comparison.
class Standing {
public:
    Standing(const Queues& queues, const NextOfQueue& next, const Amounts& total)
        : queue_(queues[next.queue]), next_(next), total_(total) {}

    [[nodiscard]] const Queue& queue() const { return queue_; }

    [[nodiscard]] bool is_over_fair_share() const {
        return std::ranges::all_of(queue_.shares,
                                   [](const Share& share) { return share.fair < share.allocated; });
    }

    [[nodiscard]] bool is_starved() const { return queue_.fits_quota(next_.request); }

    [[nodiscard]] bool may_have_nothing() const {
        for (std::size_t resource = 0; resource < resource_count; ++resource) {
            const Share& share = queue_.shares[resource];
            if (share.allocatable() == 0 && share.allocated + next_.request[resource] > 0) {
                return true;
            }
        }
        return false;
    }

    [[nodiscard]] double dominant_share(bool with_next) const {
        double most = 0;
        for (std::size_t resource = 0; resource < resource_count; ++resource) {
            const Share& share = queue_.shares[resource];
            double whole = share.allocatable();
            if (whole == unlimited) {
                whole = total_[resource];
            }
            const double part = share.allocated + (with_next ? next_.change[resource] : 0);
            most = std::max(most, whole == 0 ? part * 1000 : part / whole);
        }
        return most;
    }

private:
    const Queue& queue_;
    const NextOfQueue& next_;
    const Amounts& total_;
};

}  // namespace

bool is_before(const Queues& queues,
               const NextOfQueue& a,
               const NextOfQueue& b,
               const Amounts& total) {
    const Standing left(queues, a, total);
    const Standing right(queues, b, total);
    if (left.is_over_fair_share() != right.is_over_fair_share()) {
        return right.is_over_fair_share();
    }
    if (left.is_starved() != right.is_starved()) {
        return left.is_starved();
    }
    if (left.queue().priority != right.queue().priority) {
        return left.queue().priority > right.queue().priority;
    }
    if (left.may_have_nothing() != right.may_have_nothing()) {
        return right.may_have_nothing();
    }
    for (const bool with_next : {true, false}) {
        const double left_share = left.dominant_share(with_next);
        const double right_share = right.dominant_share(with_next);
        if (left_share != right_share) {
            return left_share < right_share;
        }
    }
    const bool left_at_most = at_most(left.queue().allocatable(), right.queue().allocatable());
    const bool right_at_most = at_most(right.queue().allocatable(), left.queue().allocatable());
    if (left_at_most != right_at_most) {
        return left_at_most;
    }
    return left.queue().created < right.queue().created;
}

}  // namespace berth::core::kai

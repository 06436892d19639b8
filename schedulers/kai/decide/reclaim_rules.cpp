#include "schedulers/kai/decide/reclaim_rules.hpp"

#include <algorithm>
#include <limits>

namespace berth::core::kai {
namespace {

/// How full a queue is, as a part of its fair share.
double fullness(double allocated, double fair) {
    if (fair == 0) {
        return allocated > 0 ? std::numeric_limits<double>::infinity() : 0;
    }
    return fair == unlimited ? 0 : allocated / fair;
}

/// Which resources an amount has, as bits.
unsigned resources_of(const Amounts& amounts) {
    unsigned bits = 0;
    for (std::size_t resource = 0; resource < resource_count; ++resource) {
        bits |= amounts[resource] > 0 ? 1U << resource : 0U;
    }
    return bits;
}

/// What queues have left when victims are gone.
class Rests {
public:
    Rests(const Queues& queues, const Reclaimer& reclaimer)
        : queues_(queues), reclaimer_(reclaimer), states_(queues.size()) {}

    /// Takes what one queue loses; says whether each entry may be taken.
    bool take(const Losses& losses) {
        const auto [me, victim] = queues_.leveled(reclaimer_.queue, losses.queue);
        unsigned lost = 0;
        for (const Amounts& entry : losses.entries) {
            lost |= resources_of(entry);
        }
        states_[losses.queue].lost = lost;
        touch(victim);
        for (const Amounts& entry : losses.entries) {
            if (!has_more_than_its_due(me, victim)) {
                return false;
            }
            for (QueueIndex at = losses.queue; at != no_queue; at = queues_[at].parent) {
                touch(at);
                states_[at].rest = minus(states_[at].rest, entry);
                states_[at].lost |= lost;
            }
        }
        return true;
    }

    /// Whether the reclaimer's queues may have what it asks for.
    bool may_be_given(double multiplier) {
        for (QueueIndex at = reclaimer_.queue; at != no_queue; at = queues_[at].parent) {
            State& own = states_[at];
            const Amounts before = own.is_touched ? own.rest : allocated(at);
            const Amounts have = plus(before, reclaimer_.request);
            if (own.is_touched) {
                own.rest = have;
            }
            for (const QueueIndex sibling : touched_) {
                if (queues_[sibling].parent == queues_[at].parent && sibling != at &&
                    is_fuller(at, have, sibling, multiplier)) {
                    return false;
                }
            }
            if (!reclaimer_.is_preemptible && !queues_[at].fixed_fits_quota(reclaimer_.request)) {
                return false;
            }
        }
        return true;
    }

private:
    struct State {
        bool is_touched = false;
        unsigned lost = 0;
        Amounts rest{};
    };

    [[nodiscard]] Amounts allocated(QueueIndex queue) const {
        return queues_[queue].amounts(&Share::allocated);
    }

    void touch(QueueIndex queue) {
        State& state = states_[queue];
        if (!state.is_touched) {
            state.is_touched = true;
            state.rest = allocated(queue);
            touched_.push_back(queue);
        }
    }

    [[nodiscard]] bool has_more_than_its_due(QueueIndex me, QueueIndex victim) const {
        const Amounts& rest = states_[victim].rest;
        return !at_most(rest, queues_[victim].allocatable()) ||
               (queues_[me].fits_quota(reclaimer_.request) &&
                !at_most(rest, queues_[victim].amounts(&Share::quota)));
    }

    [[nodiscard]] bool is_fuller(QueueIndex at,
                                 const Amounts& have,
                                 QueueIndex sibling,
                                 double multiplier) const {
        const unsigned counted = states_[sibling].lost | resources_of(reclaimer_.request);
        for (std::size_t resource = 0; resource < resource_count; ++resource) {
            const double mine = queues_[at].shares[resource].fair;
            const double its = queues_[sibling].shares[resource].fair;
            if ((counted >> resource & 1U) == 0 || (mine == unlimited && its == unlimited)) {
                continue;
            }
            const double full = fullness(have[resource], mine);
            if (full > 1 && its > 0 &&
                full * multiplier >= fullness(states_[sibling].rest[resource], its)) {
                return true;
            }
        }
        return false;
    }

    const Queues& queues_;
    const Reclaimer& reclaimer_;
    std::vector<State> states_;
    std::vector<QueueIndex> touched_;
};

}  // namespace

bool may_reclaim(const Queues& queues, const Reclaimer& reclaimer) {
    const Queue& queue = queues[reclaimer.queue];
    return at_most(plus(queue.amounts(&Share::allocated), reclaimer.request),
                   queue.amounts(&Share::fair)) &&
           (reclaimer.is_preemptible || queue.fixed_fits_quota(reclaimer.request));
}

bool may_lose(const Queues& queues, const Reclaimer& reclaimer, QueueIndex victim) {
    const auto [mine, its] = queues.leveled(reclaimer.queue, victim);
    const Queue& level = queues[its];
    if (!queues[mine].fits_quota(reclaimer.request)) {
        return !at_most(level.amounts(&Share::allocated), level.allocatable());
    }
    bool is_below = false;
    for (std::size_t resource = 0; resource < resource_count; ++resource) {
        const Share& share = level.shares[resource];
        if (reclaimer.request[resource] <= 0 || share.quota == unlimited) {
            continue;
        }
        if (share.allocated > share.quota) {
            return true;
        }
        is_below = is_below || share.allocated < share.quota;
    }
    return !is_below;
}

bool is_fair_reclaim(const Queues& queues,
                     const Reclaimer& reclaimer,
                     const std::vector<Losses>& losses,
                     double multiplier) {
    Rests rests(queues, reclaimer);
    return std::ranges::all_of(losses, [&](const Losses& one) { return rests.take(one); }) &&
           rests.may_be_given(multiplier);
}

}  // namespace berth::core::kai

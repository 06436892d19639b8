#pragma once

#include <vector>

#include "schedulers/kai/decide/queues.hpp"

namespace berth::core::kai {

/// A job that wants what other queues have.
struct Reclaimer {
    QueueIndex queue = 0;
    Amounts request{};
    bool is_preemptible = true;
};

/// What one queue would lose, entry by entry in order.
struct Losses {
    QueueIndex queue = 0;
    std::vector<Amounts> entries;
};

/// Whether a job may reclaim at all: its queue stays within its fair share, and within its quota if
/// the job must not be preempted.
[[nodiscard]] bool may_reclaim(const Queues& queues, const Reclaimer& reclaimer);

/// Whether pods of `victim` may be looked at as victims.
[[nodiscard]] bool may_lose(const Queues& queues, const Reclaimer& reclaimer, QueueIndex victim);

/// Whether the losses together are fair: each queue has more than its due before each of its
/// entries, and afterwards the reclaimer's queues are not fuller than their siblings that lost.
///
/// Shape:        `losses` in the order of queues, each queue once.
/// `multiplier`: how much fuller, as a factor, the reclaimer's queues count.
/// Source:       KAI v0.17.0, proportion: reclaimable.
[[nodiscard]] bool is_fair_reclaim(const Queues& queues,
                                   const Reclaimer& reclaimer,
                                   const std::vector<Losses>& losses,
                                   double multiplier);

}  // namespace berth::core::kai

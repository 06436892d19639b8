#include "sim/queue_policy.hpp"

namespace berth::sim {

/// Conservative backfilling that keeps no promise: every cycle makes all reservations anew, in the
/// order of the queue, so that what one job gains may delay another.
QueuePolicy make_replanned_backfill(QueueOptions& options) {
    QueuePolicy policy = options.order("order", "fifo");
    policy.overtaking = Overtaking::backfill;
    policy.reservations = options.count("depth", 100);
    return policy;
}

}  // namespace berth::sim

#include "sim/backfill/replanned_backfill.hpp"

#include <memory>
#include <utility>

namespace berth::sim {
namespace {

std::unique_ptr<Backfilling> make(BackfillContext context) {
    return std::make_unique<ReplannedBackfill>(std::move(context));
}

}  // namespace

/// Conservative backfilling that keeps no promises: every cycle makes all reservations anew, in the
/// order of the queue, so that a gain for one job may delay another.
QueuePolicy make_replanned_backfill(QueueOptions& options) {
    QueuePolicy policy = options.order("order", "fifo");
    policy.overtaking = Overtaking::backfill;
    policy.reservations = options.count("depth", 100);
    policy.backfilling = &make;
    return policy;
}

}  // namespace berth::sim

#include "sim/backfill/conservative_backfill.hpp"

#include <memory>
#include <utility>

namespace berth::sim {
namespace {

std::unique_ptr<Backfilling> make(BackfillContext context) {
    return std::make_unique<ConservativeBackfill>(std::move(context));
}

}  // namespace

/// Source: Mu'alem and Feitelson, "Utilization, Predictability, Workloads, and User Runtime
///         Estimates in Scheduling the IBM SP2 with Backfilling" (IEEE TPDS 12(6), 2001),
///         section 3.
QueuePolicy make_conservative_backfill(QueueOptions& options) {
    QueuePolicy policy = options.order("order", "fifo");
    policy.overtaking = Overtaking::backfill;
    policy.reservations = options.count("depth", 1'000'000);
    policy.backfilling = &make;
    return policy;
}

}  // namespace berth::sim

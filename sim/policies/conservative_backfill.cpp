#include "sim/queue_policy.hpp"

namespace berth::sim {

/// Source: Mu'alem and Feitelson, "Utilization, Predictability, Workloads, and User Runtime
///         Estimates in Scheduling the IBM SP2 with Backfilling" (IEEE TPDS 12(6), 2001),
///         section 3.
QueuePolicy make_conservative_backfill(QueueOptions& options) {
    QueuePolicy policy = options.order("order", "fifo");
    policy.overtaking = Overtaking::backfill;
    policy.reservations = options.count("depth", 1'000'000);
    policy.keeps_reservations = true;
    return policy;
}

}  // namespace berth::sim

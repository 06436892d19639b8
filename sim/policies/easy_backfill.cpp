#include "sim/queue_policy.hpp"

namespace berth::sim {

/// Source: Lifka, "The ANL/IBM SP Scheduling System" (JSSPP 1995); Mu'alem and Feitelson,
///         "Utilization, Predictability, Workloads, and User Runtime Estimates in Scheduling the
///         IBM SP2 with Backfilling" (IEEE TPDS 12(6), 2001), section 2.
QueuePolicy make_easy_backfill(QueueOptions& options) {
    QueuePolicy policy = options.order("order", "fifo");
    policy.overtaking = Overtaking::backfill;
    policy.reservations = 1;
    return policy;
}

}  // namespace berth::sim

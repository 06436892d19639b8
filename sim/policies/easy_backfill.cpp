#include "sim/backfill/easy_backfill.hpp"

#include <memory>
#include <utility>

#include "sim/backfill/replanned_backfill.hpp"

namespace berth::sim {
namespace {

std::unique_ptr<Backfilling> plan_by_kinds(BackfillContext context) {
    if (context.settings.quotas) {
        return std::make_unique<ReplannedBackfill>(std::move(context));
    }
    return std::make_unique<EasyBackfill>(std::move(context));
}

}  // namespace

/// Source: Lifka, "The ANL/IBM SP Scheduling System" (JSSPP 1995); Mu'alem and Feitelson,
///         "Utilization, Predictability, Workloads, and User Runtime Estimates in Scheduling the
///         IBM SP2 with Backfilling" (IEEE TPDS 12(6), 2001), section 2.
QueuePolicy make_easy_backfill(QueueOptions& options) {
    QueuePolicy policy = options.order("order", "fifo");
    policy.overtaking = Overtaking::backfill;
    policy.reservations = 1;
    policy.backfilling = &plan_by_kinds;
    return policy;
}

}  // namespace berth::sim

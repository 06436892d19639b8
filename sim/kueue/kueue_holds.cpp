#include <optional>
#include <string_view>

#include "core/support/assert.hpp"
#include "sim/kueue/kueue_admission.hpp"

namespace berth::sim {

namespace kueue = core::kueue;

void KueueAdmission::wait_for_quota(JobId id) {
    Known& job = known(id);
    BERTH_ASSERT(!job.held, "who waits for quota holds none");
    job.holding = {};
    job.holding.queued = actions_.now();
    meter_.waits_for_quota(id, actions_.job(id).job(), lines_of(job), actions_.now());
}

void KueueAdmission::record_hold(JobId id, QuotaEnd why) {
    Known& job = known(id);
    Holding& holding = job.holding;
    const JobRecord& record = actions_.job(id).record;
    const bool run_ended = why == QuotaEnd::ended && (record.outcome == Outcome::running ||
                                                      record.outcome == Outcome::waiting);
    BERTH_ASSERT(holding.queued, "who holds quota has waited for it");
    QuotaHold hold{.job = record.job.name,
                   .cluster_queue = cache_.queue(*job.queue).name,
                   .local_queue = job.local_name,
                   .queued = *holding.queued,
                   .admitted = holding.admitted,
                   .from = std::nullopt,
                   .told = holding.told,
                   .until = actions_.now(),
                   .end = why,
                   .members = job.members,
                   .preemptor = holding.preemptor,
                   .preemptor_queue = holding.preemptor_queue,
                   .reason = holding.reason};
    if (run_ended) {
        hold.end = QuotaEnd::none;
        hold.until.reset();
    }
    if (job.held) {
        hold.from = holding.from;
        for (const auto& [what, amount] : cache_.usage(*job.held)) {
            hold.amounts.push_back(
                {cache_.names()[what.flavor], cache_.names()[what.resource], amount});
        }
    } else {
        hold.reason = record.reason;
    }
    sink_.quota_held(hold);
    holding.from = actions_.now();
}

}  // namespace berth::sim

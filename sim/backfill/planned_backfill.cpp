#include "sim/backfill/planned_backfill.hpp"

#include <utility>

#include "sim/backfill/expected_run.hpp"

namespace berth::sim {

using core::Members;

PlannedBackfill::PlannedBackfill(BackfillContext context)
    : context_(std::move(context)), plan_(context_.settings.profile, context_.actions.cluster()) {}

void PlannedBackfill::runs(JobId id, Members /*pods*/) {
    plan_.table().set_now(actions().now());
    const JobState& state = actions().job(id);
    for (const Stint& stint : state.record.stints) {
        if (!stint.finish) {
            plan_.table().runs(id, state.job(), stint, expected_end(state));
        }
    }
}

void PlannedBackfill::stops(JobId id, const Stints& stints, Members /*pods*/) {
    const SimTime now = actions().now();
    bool early = false;
    for (const Stint& stint : stints) {
        // A job that a cycle starts is assumed to stay for a moment, however short its work is.
        const bool at_once = stint.start == now && planned_at_ == now;
        if (plan_.table().stops(id, stint.server, now) || at_once) {
            plan_.table().note_freed(stint.server);
            early = true;
        }
    }
    plan_.table().set_now(now);
    if (early) {
        left_early();
    }
}

void PlannedBackfill::resizes(JobId id) {
    stops(id, actions().job(id).record.stints, 0);
    for (const Stint& stint : actions().job(id).record.stints) {
        plan_.table().note_freed(stint.server);  // there may be fewer members from now on
    }
}

void PlannedBackfill::begin() {
    actions().cluster().inside().catch_up();
    plan_.table().set_now(actions().now());
    planned_at_ = actions().now();
}

std::size_t PlannedBackfill::reservations_max() const {
    return context_.settings.profile.queue.reservations;
}

QueueKey PlannedBackfill::key_of(JobId id) const {
    const OwnJob& own = context_.jobs[id];
    return context_.queue.in_order(own.owner, own.queued);
}

Members PlannedBackfill::select(JobId id) {
    const OwnJob& own = context_.jobs[id];
    if (!context_.queue.select(job(id), own.owner, own.queued)) {
        return 0;  // the quota refused an earlier job of its class
    }
    const Members admitted = context_.admission.admissible(id, job(id));
    if (admitted == 0) {
        context_.queue.over_quota();
    }
    return admitted;
}

void PlannedBackfill::start(JobId id, Members admitted, Attempt attempt) {
    context_.start(id, admitted, std::move(attempt));
}

}  // namespace berth::sim

#include "sim/run/noted_scheduler.hpp"

#include "core/support/assert.hpp"
#include "sim/job/members.hpp"

namespace berth::sim {

void NotedScheduler::note(Decision::Kind kind, JobId id) {
    decisions_.push_back({kind, actions_.job(id).record.arrival, actions_.now()});
}

void NotedScheduler::started(JobId id, bool fresh) {
    note(Decision::Kind::start, id);
    decisions_.back().servers =
        running_members(actions_.job(id).record, actions_.cluster().topology());
    BERTH_ASSERT(!decisions_.back().servers.empty(), "who starts has places");
    scheduler_.started(id, fresh);
}

void NotedScheduler::evicted(JobId id, const Stay& stay, EvictionCause cause) {
    note(Decision::Kind::evict, id);
    scheduler_.evicted(id, stay, cause);
}

void NotedScheduler::ended(JobId id) {
    const JobRecord& record = actions_.job(id).record;
    if (record.outcome != Outcome::finished && withdrawn_ != id) {
        note(Decision::Kind::reject, id);
        decisions_.back().reason = record.reason;
    }
    ended_.push_back(actions_.job(id).record.arrival);
    scheduler_.ended(id);
}

void NotedScheduler::withdraw(JobId id) {
    withdrawn_ = id;
    scheduler_.withdraw(id);
    withdrawn_.reset();
}

}  // namespace berth::sim

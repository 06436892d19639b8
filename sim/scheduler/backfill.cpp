#include "sim/scheduler/backfill.hpp"

#include <algorithm>
#include <span>

#include "core/support/assert.hpp"

namespace berth::sim {

Backfill::Backfill(const Settings& settings, const Actions& actions)
    : actions_(actions), plan_(settings.profile, actions.cluster().ledger()) {}

void Backfill::runs(JobId id, core::Members /*pods*/) {
    const JobState& state = actions_.job(id);
    for (const Stint& stint : state.record.stints) {
        if (!stint.finish) {
            plan_.expect(id.index, state.job(), stint.server, stint.members, expected_end(state));
        }
    }
}

void Backfill::stops(JobId id, std::span<const Stint> stints, core::Members /*pods*/) {
    for (const Stint& stint : stints) {
        plan_.forget(id.index, stint.server);
    }
}

void Backfill::resizes(JobId id) {
    stops(id, actions_.job(id).record.stints, 0);
}

SimTime Backfill::expected_run(const JobState& state) const {
    const Job& job = state.job();
    const auto stated = job.stated_duration();
    if (!stated) {
        return never;
    }
    const SimTime done = state.left ? *job.duration - *state.left : SimTime(0);
    BERTH_ASSERT(done >= SimTime(0), "no more work is left than there was");
    return std::max(*stated - done, SimTime(0));
}

SimTime Backfill::expected_end(const JobState& state) const {
    BERTH_ASSERT(state.record.start, "a job that runs has an end to expect");
    const SimTime start = *state.record.start;
    const SimTime run = expected_run(state);
    return run < never - start ? start + run : never;
}

}  // namespace berth::sim

#include "sim/scheduler/backfill.hpp"

#include <span>

#include "sim/scheduler/expected_run.hpp"

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

}  // namespace berth::sim

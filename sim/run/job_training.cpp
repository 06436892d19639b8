// Jobs that train: what their leases do to their work.

#include <algorithm>
#include <utility>

#include "core/support/assert.hpp"
#include "sim/backfill/expected_run.hpp"
#include "sim/run/job_life.hpp"

namespace berth::sim {

/// A job trains as fast as the slowest of its servers.
void JobLife::begin_lease(JobState& state) const {
    Training& training = *state.record.job.training;
    const core::Topology& tree = cluster_.topology();
    const Stints& stints = state.record.stints;
    const auto runs = [](const Stint& stint) { return !stint.finish; };
    const auto first = std::ranges::find_if(stints, runs);
    BERTH_ASSERT(first != stints.end(), "a job that works has a place");
    const bool together = std::ranges::all_of(
        stints, [&](const Stint& stint) { return !runs(stint) || stint.server == first->server; });
    MicroSteps speed = training.speed_on(tree.machine_type(first->server).name, together);
    for (const Stint& stint : stints) {
        if (runs(stint) && stint.server != first->server) {
            speed =
                std::min(speed, training.speed_on(tree.machine_type(stint.server).name, together));
        }
    }
    training.begin_lease(speed);
    settle_training(state, SimTime(0));
}

/// Takes what was done and kept in a lease into account, and predicts the rest.
void JobLife::settle_training(JobState& state, SimTime kept) const {
    JobRecord& record = state.record;
    record.job.training->end_lease(kept);
    state.left = std::min(record.job.training->time_left(), never - record.kept);
    record.job.duration = record.kept + *state.left;
}

/// A lease has come to its own end. Returns whether the job is not done then: its batch size
/// changes, with a checkpoint, and it has either given back its places or goes on there.
bool JobLife::goes_on_training(JobId id) {
    const JobState& state = jobs_[id];
    Training after = *state.job().training;
    after.end_lease(stretch_of(state).spent().work);
    if (after.is_done() || after.is_at_limit()) {
        return false;
    }
    const bool has_to_leave = state.ends_in_grace;
    const EvictionCause cause = state.leaving;
    if (scheduler_->ends_leases() && !has_to_leave) {
        suspend(id);
        return true;
    }
    // Its tree says where it started, and members may have joined it since.
    Placement here{running_members(state.record, cluster_.topology()), {}, {}};
    here.attainable = state.record.attainable;
    relocate(id, std::move(here), true);
    if (has_to_leave) {
        evict_now(id, cause);
    }
    return true;
}

}  // namespace berth::sim

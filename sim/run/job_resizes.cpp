// Changes of the size of a job.

#include <algorithm>
#include <map>
#include <vector>

#include "core/support/assert.hpp"
#include "sim/job/members.hpp"
#include "sim/run/job_life.hpp"

namespace berth::sim {

using core::Members;
using core::PlacedNode;

namespace {

/// Changes the size of a job. If all members had to start before, all have to start afterwards;
/// otherwise the minimum stays, up to the new size.
void set_size(Job& job, Members size) {
    const bool all = job.min_available == job.size;
    job.size = size;
    job.min_available = all ? size : std::min(job.min_available, size);
}

}  // namespace

void JobLife::schedule_next_resize(JobId id) {
    JobState& state = jobs_[id];
    const core::CompactVector<Resize>& resizes = state.job().resizes;
    state.resize.reset();
    if (state.resizes_done < resizes.size()) {
        const SimTime at = std::max(resizes[state.resizes_done].at, now_);
        state.resize = events_.push(at, EventKind::resize, id.index);
    }
}

void JobLife::ask_resize(JobId id) {
    JobState& state = jobs_[id];
    BERTH_ASSERT(!state.ended() && state.resizes_done < state.job().resizes.size(),
                 "a job that has not ended gets its next size");
    if (state.hung_since) {
        state.resize.reset();  // it asks for nothing until it has lost its places
        return;
    }
    const Members size = state.job().resizes[state.resizes_done].size;
    ++state.resizes_done;
    scheduler_->resize_asked(id, size);
    schedule_next_resize(id);
}

void JobLife::resize(JobId id, Members size, const std::vector<PlacedNode>& after) {
    JobState& state = jobs_[id];
    JobRecord& record = state.record;
    BERTH_ASSERT(size > 0 && (state.waits() || state.runs()), "a group that is resized stays one");
    BERTH_ASSERT(!state.hung_since, "a job that hangs asks for no other size");
    if (state.waits()) {
        BERTH_ASSERT(after.empty(), "who waits has no places");
        measures_.leaves_queue(state);
        set_size(record.job, size);
        measures_.waits(id, state);
        return;
    }
    BERTH_ASSERT(count_of(after) == size, "a running group has a place for each member");
    std::map<core::NodeId, Members> change;
    for (const PlacedNode& server : after) {
        change[server.node] += server.count;
    }
    for (const auto& [node, count] : running_members(record, cluster_.topology())) {
        change[node] -= count;
    }
    occupants_.note(state, id, false);
    for (const auto& [node, count] : change) {
        if (count < 0) {
            occupants_.leave(state, cluster_.topology().server_of(node), -count, now_);
        }
    }
    account_left(state);
    for (const auto& [node, count] : change) {
        if (count > 0) {
            occupants_.join(state, {node, count}, {}, true, now_);
        } else {
            fingerprint_.placed({node, count});
        }
    }
    set_size(record.job, size);
    record.placed = size;
    if (stands_on_broken(state)) {
        hang(id);
    }
    if (!state.working_since && size >= record.job.min_available) {
        begin_work(id);
    }
    occupants_.note(state, id, true);
}

void JobLife::refuse_resize(JobId id) {
    BERTH_ASSERT(jobs_[id].runs(), "only a running group is refused another size");
    ++jobs_[id].record.resizes_refused;
}

}  // namespace berth::sim

#include "sim/schedulers/outside/outside_scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/support/assert.hpp"
#include "sim/job/members.hpp"
#include "sim/schedulers/outside/bounded_reason.hpp"

namespace berth::sim {

using core::Members;
using core::PlacedNode;

std::optional<std::vector<PlacedNode>> OutsidePolicy::resized(const OutsideActions& see,
                                                              JobId id,
                                                              Members size) {
    const JobRecord& record = see.job(id).record;
    if (size > record.placed) {
        return std::nullopt;
    }
    std::vector<PlacedNode> servers = running_members(record, see.cluster().topology());
    for (Members leaving = record.placed - size; leaving > 0;) {
        const Members here = std::min(leaving, servers.back().count);
        leaving -= here;
        servers.back().count -= here;
        if (servers.back().count == 0) {
            servers.pop_back();
        }
    }
    return servers;
}

OutsideScheduler::OutsideScheduler(const Settings& settings,
                                   Actions& actions,
                                   const MakePolicy& make)
    : settings_(settings),
      actions_(actions),
      free_(actions.cluster()),
      turns_(actions),
      act_(actions, waiting_, running_, free_, turns_),
      policy_(make(act_)) {
    turns_.after_this_instant();  // it may plan before any job arrives
}

/// What the policy does itself gives it no further turn, because the policy already knows it.
void OutsideScheduler::note_change() {
    if (!deciding_) {
        turns_.after_this_instant();
    }
}

void OutsideScheduler::note_runs(JobId id) {
    running_.add(id, started_++);
    policy_->started(id);
}

void OutsideScheduler::submitted(JobId id) {
    if (actions_.job(id).waits()) {
        waiting_.add(id, actions_.job(id).entry);
        policy_->submitted(id);
    } else {
        policy_->submitted(id);
        note_runs(id);
    }
    note_change();
}

void OutsideScheduler::started(JobId id, bool fresh) {
    BERTH_ASSERT(fresh, "these verbs start jobs that wait, with all their members at once");
    waiting_.remove(id);
    note_runs(id);
}

void OutsideScheduler::evicted(JobId id, const Stay& /*stay*/, EvictionCause /*cause*/) {
    running_.remove(id);
    waiting_.add(id, actions_.job(id).entry);
    policy_->evicted(id);
    if (is_given_up(id)) {
        actions_.drop(id);
    }
    note_change();
}

bool OutsideScheduler::is_given_up(JobId id) const {
    const auto failed = static_cast<std::size_t>(EvictionCause::node_failed);
    return actions_.job(id).record.evictions[failed] >= settings_.on_failure.give_up_after;
}

void OutsideScheduler::resize_asked(JobId id, Members size) {
    if (actions_.job(id).waits()) {
        actions_.resize(id, size, {});
    } else if (auto after = policy_->resized(act_, id, size)) {
        (void)act_.resize(id, size, *std::move(after));
    } else {
        actions_.refuse_resize(id);
        return;
    }
    note_change();
}

void OutsideScheduler::ended(JobId id) {
    JobOrder& in = running_.contains(id) ? running_ : waiting_;
    in.remove(id);
    policy_->ended(id);
    if (actions_.job(id).record.outcome == Outcome::finished) {
        note_change();
    }
    if (!actions_.more_to_come()) {
        turns_.all_have_ended();
    }
}

void OutsideScheduler::server_changed(core::ServerId server,
                                      bool up,
                                      const std::vector<core::Amount>& /*outside*/,
                                      bool /*foreseen*/) {
    policy_->server_changed(server, up);
    note_change();
}

void OutsideScheduler::drains_changed(bool /*foreseen*/) {
    note_change();
}

void OutsideScheduler::woken(Timer timer) {
    BERTH_ASSERT(timer == Timer::third, "it rings one timer alone");
    if (turns_.begin()) {
        policy_->woken();
    }
    waiting_.close_gaps();
    running_.close_gaps();
    deciding_ = true;
    policy_->decide(act_);
    deciding_ = false;
}

Refusal OutsideScheduler::why_waiting(JobId id) {
    if (is_given_up(id)) {
        return {fmt::format("given up after {} interruptions by failures.",
                            settings_.on_failure.give_up_after),
                0};
    }
    return {bounded_reason(policy_->why_waiting(id)), 0};
}

const std::string& OutsideScheduler::quota_of(JobId id) {
    return actions_.job(id).job().quota;
}

/// Checks that the lists that it keeps agree with the states of the jobs.
std::optional<core::Violation> OutsideScheduler::find_violation() {
    std::size_t waiting = 0;
    std::size_t running = 0;
    std::optional<core::Violation> violation;
    actions_.each_job([&](JobId id) {
        const JobState& state = actions_.job(id);
        waiting += state.waits() ? 1 : 0;
        running += state.runs() ? 1 : 0;
        if (state.waits() != waiting_.contains(id) || state.runs() != running_.contains(id)) {
            violation = core::Violation{"a job that waits or runs is in that list",
                                        fmt::format("job {}", state.job().name),
                                        waiting_.contains(id)   ? "waiting"
                                        : running_.contains(id) ? "running"
                                                                : "neither",
                                        state.waits()  ? "waiting"
                                        : state.runs() ? "running"
                                                       : "neither"};
        }
    });
    if (!violation && (waiting != waiting_.size() || running != running_.size())) {
        violation =
            core::Violation{"the lists hold no other job",
                            "all jobs",
                            fmt::format("{} wait, {} run", waiting_.size(), running_.size()),
                            fmt::format("{} wait, {} run", waiting, running)};
    }
    return violation ? violation : free_.find_violation();
}

}  // namespace berth::sim

// What a running job does at its places: work and, with checkpoints, writes and restarts.

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/support/assert.hpp"
#include "sim/backfill/expected_run.hpp"
#include "sim/run/job_life.hpp"

namespace berth::sim {
namespace {

/// Notes when in a stretch the job had done as much as before it was interrupted. Its record still
/// shows the state at the beginning of the stretch.
void note_recoveries(JobState& state, const Stretch& stretch) {
    JobRecord& record = state.record;
    while (!state.unrecovered.empty()) {
        Interruption& interruption = record.interruptions[state.unrecovered.back()];
        BERTH_ASSERT(interruption.done >= record.kept,
                     "who has not recovered has work to do again");
        interruption.recovered = stretch.reached(interruption.done - record.kept);
        if (!interruption.recovered) {
            return;  // at earlier interruptions it had done as much or more
        }
        state.unrecovered.pop_back();
    }
}

}  // namespace

void JobLife::begin_work(JobId id) {
    JobState& state = jobs_[id];
    BERTH_ASSERT(!state.stop, "work begins once");
    state.working_since = now_;
    if (state.job().training) {
        begin_lease(state);
    }
    if (stands_on_broken(state)) {
        state.hung_since = now_;
        return;
    }
    const SimTime end = after(now_, run_time_left(state));
    if (end != never) {
        state.stop = events_.push(end, EventKind::finish, id.index);
    }
}

void JobLife::set_broken(core::ServerId server, bool broken) {
    if (!broken) {
        broken_.erase(server);
        return;
    }
    broken_.insert(server);
    std::ranges::for_each(occupants_.on(server), [this](JobId id) { hang(id); });
}

bool JobLife::stands_on_broken(const JobState& state) const {
    return !broken_.empty() && std::ranges::any_of(state.record.stints, [this](const Stint& stint) {
        return !stint.finish && broken_.contains(stint.server);
    });
}

/// A job does nothing more, on any of its servers, until it loses its places. It does not end
/// meanwhile, but its grace period does.
void JobLife::hang(JobId id) {
    JobState& state = jobs_[id];
    if (!state.working_since || state.hung_since) {
        return;
    }
    state.hung_since = now_;
    if (state.stop && !state.is_on_its_way_out()) {
        events_.cancel(*state.stop);
        state.stop.reset();
    }
    if (std::exchange(state.ends_in_grace, false)) {
        state.stop = events_.push(*state.grace_over, EventKind::finish, id.index);
    }
}

/// How long a job holds its places from when its members begin to work; `never` if it has no end.
SimTime JobLife::run_time_left(const JobState& state) const {
    const SimTime work = time_for_work(state);
    return has_limit(state) ? std::min(work, *state.job().estimate + *settings_.limit_grace) : work;
}

bool JobLife::has_limit(const JobState& state) const {
    const OptionalTime& limit = state.job().estimate;
    return settings_.limit_grace && limit && *limit < never - *settings_.limit_grace;
}

/// Whether a job that stops now has reached its time limit before its work was done.
bool JobLife::is_at_limit(const JobState& state) const {
    return settings_.limit_grace && now_ - *state.working_since < time_for_work(state);
}

/// The same without the time limit.
SimTime JobLife::time_for_work(const JobState& state) const {
    const std::int64_t factor = state.record.run_time_factor;
    if (!state.left) {
        return never;
    }
    const SimTime left =
        state.job().training ? state.job().training->time_of_lease() : SimTime(*state.left);
    return state.job().checkpoint
               ? run_time_with(*state.job().checkpoint, state.restart, left, factor)
               : after(state.restart, run_time_of(left, factor));
}

/// The stretch until now; empty for a job whose members do not work yet.
Stretch JobLife::stretch_of(const JobState& state) const {
    return {state.working_since.value_or(now_),
            now_,
            state.record.run_time_factor,
            state.job().checkpoint,
            state.restart,
            state.hung_since};
}

/// Ends a job's work. Returns what the time since the work began was spent on.
Stretch JobLife::end_work(JobState& state) {
    if (state.stop) {
        events_.cancel(*state.stop);
        state.stop.reset();
    }
    const Stretch stretch = stretch_of(state);
    state.working_since.reset();
    state.hung_since.reset();
    state.grace_over.reset();
    state.ends_in_grace = false;
    return stretch;
}

/// How much of the work that a job without checkpoints did since its last start is lost in an
/// eviction.
SimTime JobLife::lost_of(SimTime done) const {
    const SimTime lost(
        static_cast<std::int64_t>(static_cast<double>(done.count()) * settings_.lost_work));
    return settings_.lost_work == 1 ? done : std::min(lost, done);  // as a double it may be larger
}

/// How much of the work done in a stretch is lost in an eviction at its end.
SimTime JobLife::lost_in(const Stretch& stretch) const {
    const TimeSpent spent = stretch.spent();
    return stretch.checkpoint ? spent.unwritten : lost_of(spent.work);
}

SimTime JobLife::would_lose(JobId id) const {
    BERTH_ASSERT(jobs_[id].runs(), "only a running job is evicted");
    return lost_in(stretch_of(jobs_[id]));
}

/// Subtracts the work done in a stretch from what is left, except for the part that is lost with
/// it.
void JobLife::settle_work(JobState& state, const Stretch& stretch, Stay& stay) const {
    JobRecord& record = state.record;
    const TimeSpent spent = stretch.spent();
    const bool writes = stretch.checkpoint.has_value();
    note_recoveries(state, stretch);
    if (stretch.interrupted) {
        stay.lost = lost_in(stretch);
    }
    record.kept += spent.work - stay.lost;
    if (record.job.training) {
        settle_training(state, spent.work - stay.lost);
    } else if (state.left) {
        *state.left -= spent.work - stay.lost;
        BERTH_ASSERT(*state.left >= SimTime(0), "no more work is done than there was");
    }
    state.restart = SimTime(0);
    if (writes) {
        state.restart = stretch.interrupted ? stretch.checkpoint->restart
                                            : std::min(stretch.checkpoint->restart,
                                                       stretch.restart - spent.restarting);
    }
    record.job.expected = expected_run(state);
    record.writing += spent.writing;
    record.restarting += spent.restarting;
    record.hung += stretch.hung();
    record.lost += stay.lost;
}

/// A running job leaves its places before its end. Its stints leave the record, except for stints
/// of members that left earlier in a resize.
Stay JobLife::give_up_places(JobId id, bool keeps_work) {
    JobState& state = jobs_[id];
    JobRecord& record = state.record;
    Stretch stretch = end_work(state);
    stretch.interrupted = !keeps_work;
    Stay stay{*record.start, {}, SimTime(0)};
    settle_work(state, stretch, stay);
    const auto running = std::ranges::stable_partition(
        record.stints, [](const Stint& stint) { return stint.finish.has_value(); });
    Stints earlier(record.stints.begin(), running.begin());
    record.stints.erase(record.stints.begin(), running.begin());
    occupants_.release_all(state, now_);
    record.ran_before += now_ - stay.since;
    for (Stint& stint : record.stints) {
        account(state, stint, stretch);
    }
    stay.stints = std::exchange(record.stints, std::move(earlier));
    if (!state.resize) {
        schedule_next_resize(id);  // it may have hung when it would have asked
    }
    return stay;
}

/// Records what members whose time at their places is over did and lost in it.
void JobLife::account(const JobState& state, Stint& stint, const Stretch& stretch) const {
    SimTime lost{};
    if (stretch.checkpoint || stretch.restart > SimTime(0)) {
        stint.work = stretch.work_in(stint);
        lost = stretch.checkpoint ? std::min(*stint.work, stretch.spent().unwritten)
                                  : lost_of(*stint.work);
    } else if (stretch.interrupted || stretch.hung_since) {
        const SimTime time = stretch.end_of_work(stint) - stint.start;
        const SimTime work = work_done_in(time, stint.run_time_factor);
        stint.work = stretch.hung_since ? std::optional(work) : std::nullopt;
        lost = lost_of(work);
    }
    stint.lost = stretch.interrupted ? lost : SimTime(0);
    if (settings_.tells_gain()) {
        measures_.stint_over(state.job(), stint, stretch);
    }
}

/// Records what running members have done by now, which is not interrupted.
void JobLife::account_running(JobState& state) const {
    const Stretch stretch = stretch_of(state);
    JobRecord& record = state.record;
    const TimeSpent spent = stretch.spent();
    note_recoveries(state, stretch);
    record.kept += spent.work;
    record.writing += spent.writing;
    record.restarting += spent.restarting;
    record.hung += stretch.hung();
    if (record.job.training) {
        settle_training(state, spent.work);
    }
    for (Stint& stint : record.stints) {
        if (!stint.finish) {
            account(state, stint, stretch);
        }
    }
}

/// The same for members that left in a resize.
void JobLife::account_left(JobState& state) const {
    if (!asks_for_account(state)) {
        return;  // all their time was work that lasts
    }
    const Stretch stretch = stretch_of(state);
    for (Stint& stint : state.record.stints) {
        if (stint.finish && !stint.work) {
            account(state, stint, stretch);
            stint.work = stint.work.value_or(
                work_done_in(*stint.finish - stint.start, stint.run_time_factor));
        }
    }
}

}  // namespace berth::sim

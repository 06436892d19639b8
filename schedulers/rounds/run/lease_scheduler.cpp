#include "schedulers/rounds/run/lease_scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "core/support/assert.hpp"
#include "schedulers/rounds/run/progress.hpp"

namespace berth::sim {

using core::rounds::Place;
using core::rounds::Workers;

LeaseScheduler::LeaseScheduler(const RoundsSettings& settings,
                               const LeaseRounds& own,
                               const Settings& of_run,
                               RecordSink& sink,
                               Actions& actions)
    : RoundsScheduler(settings, of_run, sink, actions),
      own_(own),
      planner_(make_lease_planner(own, settings.cluster.gpus())),
      active_(actions) {}

void LeaseScheduler::wake_for(Step step, SimTime at) {
    step_ = step;
    // A run ends when only the third timer rings, in vain again and again.
    actions_.wake(at, planner_->promises_after(round_) ? Timer::second : Timer::third);
}

void LeaseScheduler::submitted(JobId id) {
    jobs_.emplace(number_of(id), id);
    active_.add(number_of(id), id);
    planner_->add(number_of(id), state_of(id).job().name);
    note_change();
    if (!goes_on_) {
        wake_up();
    }
}

/// The first round is planned when it begins. Later, the first round that is not planned yet may
/// still be planned with the job that has come; those without jobs before it are as long as stated.
void LeaseScheduler::wake_up() {
    goes_on_ = true;
    const SimTime now = actions_.now();
    if (round_ < 0) {
        round_start_ = own_.start.value_or(now);
        if (now <= round_start_) {
            wake_for(Step::plan, round_start_);
            return;
        }
        round_ = 0;
    }
    const SimTime planned = planned_ > round_ ? own_.round : SimTime(0);
    planner_->rest(round_start_ + planned + own_.look_ahead, own_.round, now);
    if (const SimTime late = now - own_.look_ahead - round_start_; late > SimTime(0)) {
        const std::int64_t rounds = (late + own_.round - SimTime(1)) / own_.round;
        round_ += rounds;
        round_start_ += rounds * own_.round;
    }
    plan_.clear();
    came_ = 0;
    launches_ = 0;
    wake_for(Step::plan, round_start_ + own_.look_ahead);
}

/// No job is left, for the time being: nothing changes the rows of the present round any more.
void LeaseScheduler::close_rows() {
    for (const auto& [number, lease] : open_) {
        add_lease(lease, planned_);
    }
    open_.clear();
    note_round(0);
}

void LeaseScheduler::suspended(JobId /*id*/, const Stay& /*stay*/) {
    if (!is_stopping_) {
        note_change();  // its batch size has changed
    }
}

void LeaseScheduler::evicted(JobId /*id*/, const Stay& /*stay*/, EvictionCause /*cause*/) {
    note_change();
}

void LeaseScheduler::ended(JobId id) {
    jobs_.erase(number_of(id));
    active_.remove(number_of(id));
    planner_->remove(number_of(id));
    note_change();
    if (goes_on_ && jobs_.empty()) {
        close_rows();
        goes_on_ = actions_.now() != of_run_.until && actions_.more_to_come();
    }
}

/// Shares are computed once an instant is over.
void LeaseScheduler::note_change() {
    if (change_ != std::optional(actions_.now())) {
        change_ = actions_.now();
        actions_.wake(actions_.now(), Timer::first);
    }
}

void LeaseScheduler::woken(Timer timer) {
    if (timer == Timer::first) {
        planner_->change(active_.look());
        return;
    }
    if (!goes_on_) {
        return;
    }
    switch (step_) {
        case Step::begin:
            begin_round();
            break;
        case Step::plan:
            plan_next();
            if (round_ < 0) {
                begin_round();
            } else {
                wake_for(Step::end, round_start_ + own_.round);
            }
            break;
        case Step::end:
            end_round();
            break;
    }
}

void LeaseScheduler::plan_next() {
    ++decisions_;
    planned_ = round_ + 1;
    next_ = planner_->plan(planned_, actions_.now(), active_.look(), plan_);
    note_leases();
    tell_watcher();
}

void LeaseScheduler::begin_round() {
    ++round_;
    round_start_ = actions_.now();
    plan_ = std::exchange(next_, {});
    came_ = jobs_.size();
    launches_ = 0;
    for (const auto& [number, workers] : plan_) {
        const auto job = jobs_.find(number);
        if (job != jobs_.end() && !state_of(job->second).runs()) {
            launch(job->second, places_of(workers));
            active_.launched(number);
            ++launches_;
        }
    }
    if (jobs_.empty()) {
        goes_on_ = false;
        close_rows();
    } else {
        wake_for(Step::plan, round_start_ + own_.look_ahead);
    }
}

void LeaseScheduler::end_round() {
    std::int64_t ended = 0;
    is_stopping_ = true;
    for (const auto& [number, workers] : plan_) {
        const auto job = jobs_.find(number);
        const auto next = next_.find(number);
        const bool is_extended = next != next_.end() && next->second == workers;
        if (job != jobs_.end() && state_of(job->second).runs() && !is_extended) {
            actions_.suspend(job->second);
            ++ended;
        }
    }
    is_stopping_ = false;
    note_round(static_cast<std::size_t>(ended));
    const std::int64_t counted = planner_->ended_leases(round_, ended);
    wake_for(Step::begin, actions_.now() + counted * own_.per_ended_lease);
}

void LeaseScheduler::note_round(std::size_t ended) {
    const bool has_jobs = came_ > 0 || !plan_.empty();
    if (!has_jobs || std::exchange(noted_, round_) == round_) {
        return;  // another job has come after the jobs of the round had ended
    }
    add_round(round_, round_start_, came_, plan_.size(), ended, launches_);
}

/// A job that has the same GPUs as in the round before adds to its row.
void LeaseScheduler::note_leases() {
    for (auto lease = open_.begin(); lease != open_.end();) {
        const auto next = next_.find(lease->first);
        if (next != next_.end() && next->second == lease->second.workers) {
            ++lease;
        } else {
            add_lease(lease->second, planned_ - 1);
            lease = open_.erase(lease);
        }
    }
    for (const auto& [number, workers] : next_) {
        const auto job = jobs_.find(number);
        BERTH_ASSERT(job != jobs_.end(), "who is planned has not ended");
        open_.try_emplace(number, OpenLease{planned_, workers, state_of(job->second).job().name});
    }
}

void LeaseScheduler::add_lease(const OpenLease& lease, std::int64_t last_round) {
    std::string workers;
    for (const std::uint32_t worker : lease.workers) {
        workers += fmt::format("{}{}", workers.empty() ? "" : " ", worker);
    }
    const std::array<RowField, 4> row{
        std::string_view(lease.job), lease.first_round, last_round, std::string_view(workers)};
    sink_.scheduler_row(static_cast<std::size_t>(RoundsTable::leases), row);
}

std::vector<Place> LeaseScheduler::places_of(const Workers& workers) const {
    std::vector<Place> places;
    for (const std::uint32_t worker : workers) {
        const std::uint32_t server =
            worker / static_cast<std::uint32_t>(settings_.cluster.per_server);
        if (places.empty() || places.back().server != server) {
            places.push_back({server, 0});
        }
        ++places.back().gpus;
    }
    return places;
}

std::optional<core::Violation> LeaseScheduler::find_violation() {
    const auto violation = [](std::string rule, const std::string& where) {
        return core::Violation{std::move(rule), where, "yes", "no"};
    };
    std::optional<core::Violation> found;
    std::size_t jobs = 0;
    actions_.each_job([&](JobId id) {
        ++jobs;
        const auto lease = plan_.find(number_of(id));
        if (found || !state_of(id).runs()) {
            return;
        }
        found = lease == plan_.end()
                    ? violation("a job that runs has a lease", state_of(id).job().name)
                    : find_misplaced(id, places_of(lease->second));
    });
    std::set<std::uint32_t> taken;
    for (const auto& [number, workers] : plan_) {
        for (const std::uint32_t worker : workers) {
            if (!found && !taken.insert(worker).second) {
                found = violation("a GPU is in one lease", fmt::format("GPU {}", worker));
            }
        }
    }
    if (!found && jobs != jobs_.size()) {
        found = violation("all jobs that came and have not ended are known", "rounds");
    }
    return found;
}

Refusal LeaseScheduler::why_waiting(JobId id) {
    const std::uint32_t number = number_of(id);
    if (next_.contains(number) || plan_.contains(number)) {
        return {fmt::format("it is launched when round {} begins.", planned_), 0};
    }
    if (planned_ < 0) {
        return {"no round has been planned yet.", 0};
    }
    return {fmt::format("not in round {}: {}", planned_, planner_->why_not(number, gpus_of(id))),
            0};
}

}  // namespace berth::sim

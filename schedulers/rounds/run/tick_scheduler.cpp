#include "schedulers/rounds/run/tick_scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/support/assert.hpp"
#include "schedulers/rounds/run/progress.hpp"

namespace berth::sim {

using core::rounds::Place;
using core::rounds::Ranked;
using core::rounds::TickJob;
using core::rounds::TickPolicy;
using core::rounds::TickSlot;

namespace {

std::unique_ptr<TickPolicy> make_policy(const TickRounds& ticks, std::int64_t gpus) {
    if (ticks.policy == "tiresias") {
        return core::rounds::make_least_attained(ticks.queues);
    }
    if (ticks.policy == "themis") {
        return core::rounds::make_tick_fairness(gpus, ticks.tick);
    }
    BERTH_ASSERT(ticks.policy == "srtf" || ticks.policy == "srsf", "the policy is there");
    return core::rounds::make_shortest_first(ticks.policy == "srsf");
}

}  // namespace

TickScheduler::TickScheduler(const RoundsSettings& settings,
                             const TickRounds& own,
                             const Settings& of_run,
                             RecordSink& sink,
                             Actions& actions)
    : RoundsScheduler(settings, of_run, sink, actions),
      own_(own),
      policy_(make_policy(own, settings.cluster.gpus())),
      cluster_(
          std::vector<std::int32_t>(settings.cluster.servers.size(), settings.cluster.per_server),
          settings.cluster.per_server) {}

void TickScheduler::submitted(JobId id) {
    const Progress progress = progress_of(state_of(id), actions_.now());
    TickJob job;
    job.gpus = gpus_of(id);
    job.submit = state_of(id).job().submit;
    job.speed = progress.speed;
    job.left = progress.left;
    const TickSlot slot = jobs_.add(job);
    slots_.add(id, slot);
    ids_.resize(std::max<std::size_t>(ids_.size(), slot + std::size_t{1}));
    ids_[slot] = id;
    came_.push_back(slot);
    ++active_;
    change();
}

/// The next tick decides.
void TickScheduler::change() {
    changed_ = true;
    if (const auto tick = tick_from(actions_.now(), own_.tick)) {
        wake_at(*tick);
    }
}

void TickScheduler::wake_at(SimTime at) {
    if (!rings_at_) {
        rings_at_ = at;
        actions_.wake(at, Timer::third);
    }
}

/// The job has given back its places, and knows how far it is.
void TickScheduler::leave(JobId id) {
    const Progress progress = progress_of(state_of(id), actions_.now());
    TickJob& job = jobs_[slots_[id]];
    job.left = progress.left;
    job.speed = progress.speed;
    job.ran = job.ran_until(actions_.now());
    job.runs = false;
    if (!is_stopping_) {
        change();
    }
}

void TickScheduler::suspended(JobId id, const Stay& /*stay*/) {
    leave(id);
}

void TickScheduler::evicted(JobId id, const Stay& /*stay*/, EvictionCause /*cause*/) {
    leave(id);
}

void TickScheduler::ended(JobId id) {
    const TickSlot slot = slots_[id];
    jobs_.end(slot);
    if (std::erase(came_, slot) > 0) {
        jobs_.remove(slot);  // no list has it yet
    }
    slots_.remove(id);
    --active_;
    change();
}

void TickScheduler::woken(Timer /*timer*/) {
    rings_at_.reset();
    if (active_ > 0 && (changed_ || policy_->wants_to_decide(actions_.now(), jobs_))) {
        decide();
    }
    if (active_ > 0 && own_.policy == "tiresias") {
        wake_at(after(actions_.now(), own_.tick));
    }
}

/// Returns how many jobs ran.
std::size_t TickScheduler::stop_all() {
    std::size_t stopped = 0;
    is_stopping_ = true;
    for (const TickSlot slot : launched_) {
        if (jobs_[slot].runs) {
            actions_.suspend(ids_[slot]);
            ++stopped;
        }
    }
    is_stopping_ = false;
    return stopped;
}

void TickScheduler::decide() {
    ++decisions_;
    changed_ = false;
    const std::size_t stopped = stop_all();
    policy_->decide(actions_.now(), jobs_, came_, cluster_, places_);
    came_.clear();
    turns_.clear();
    positions_.clear();
    launch_all();
    add_round(actions_.now() / own_.tick,
              actions_.now(),
              active_,
              launched_.size(),
              stopped,
              launched_.size());
    tell_watcher();
}

void TickScheduler::launch_all() {
    launched_.clear();
    for (const std::size_t position : places_.jobs) {
        launched_.push_back(policy_->order()[position].job);
        TickJob& job = jobs_[launched_.back()];
        job.runs = true;
        job.since = actions_.now();
        ++job.launches;
    }
    for (std::size_t i = 0; i < launched_.size(); ++i) {
        launch(ids_[launched_[i]], places_of(i));
    }
}

std::span<const Place> TickScheduler::places_of(std::size_t position) const {
    const std::size_t begin = position == 0 ? 0 : places_.end[position - 1];
    return std::span(places_.places).subspan(begin, places_.end[position] - begin);
}

std::optional<core::Violation> TickScheduler::find_violation() {
    std::optional<core::Violation> violation;
    std::size_t active = 0;
    actions_.each_job([&](JobId id) {
        ++active;
        if (!violation && state_of(id).runs() != jobs_[slots_[id]].runs) {
            violation = core::Violation{"a job that was launched runs",
                                        state_of(id).job().name,
                                        jobs_[slots_[id]].runs ? "launched" : "stopped",
                                        state_of(id).runs() ? "runs" : "does not run"};
        }
    });
    for (std::size_t i = 0; i < launched_.size() && !violation; ++i) {
        if (jobs_[launched_[i]].runs) {
            violation = find_misplaced(ids_[launched_[i]], places_of(i));
        }
    }
    if (!violation && active != active_) {
        violation = core::Violation{"all jobs that came and have not ended are known",
                                    "rounds",
                                    fmt::format("{}", active_),
                                    fmt::format("{}", active)};
    }
    return violation;
}

void TickScheduler::look_at_turns() {
    if (!turns_.empty()) {
        return;
    }
    turns_ = policy_->missed_turns(settings_.cluster.gpus());
    const std::vector<Ranked>& order = policy_->order();
    for (std::size_t i = 0; i < order.size(); ++i) {
        positions_.resize(std::max<std::size_t>(positions_.size(), order[i].job + std::size_t{1}));
        positions_[order[i].job] = i;
    }
}

std::optional<std::size_t> TickScheduler::position_of(JobId id) {
    look_at_turns();
    const TickSlot slot = slots_[id];
    return slot < positions_.size() ? positions_[slot] : std::nullopt;
}

Refusal TickScheduler::why_waiting(JobId id) {
    const std::optional<std::size_t> position = position_of(id);
    if (!position) {
        return {"it waits for the next tick.", 0};
    }
    const core::rounds::MissedTurn& turn = turns_[*position];
    return {fmt::format("it is number {} of {} in the order of {}: {}{} of {} GPUs were left when "
                        "its turn came, and it asks for {}.",
                        *position + 1,
                        turns_.size(),
                        own_.policy,
                        turn.lost_place ? "it fitted there, but lost its place when the jobs that "
                                          "fitted were placed anew, the largest first; "
                                        : "",
                        turn.free,
                        settings_.cluster.gpus(),
                        gpus_of(id)),
            0};
}

/// Gives out the GPUs once more, up to the turn of the job. At another rank, `themis` might place
/// the job and take its place away again, so that no rank is known to be enough.
std::shared_ptr<RoundsInquiry> TickScheduler::inquire(JobId id) {
    const std::optional<std::size_t> position = position_of(id);
    if (!position) {
        return nullptr;
    }
    auto stood = std::make_shared<RoundsInquiry>();
    stood->asked = gpus_of(id);
    cluster_.reset();
    std::vector<Place> unused;
    for (std::size_t i = 0; i < *position; ++i) {
        if (own_.policy != "themis" && cluster_.fits(stood->asked)) {
            stood->enough_rank = i + 1;
        }
        const Ranked& before = policy_->order()[i];
        if (before.fitted) {
            cluster_.take(before.gpus, unused);
        }
    }
    stood->rank = *position + 1;
    stood->jobs = turns_.size();
    stood->free = turns_[*position].free;
    core::rounds::ServerPlaces trial = cluster_;
    stood->enough_gpus = stood->asked - 1;
    while (stood->enough_gpus > 0 &&
           !(cluster_.fits(stood->enough_gpus) &&
             policy_->would_place(*position, stood->enough_gpus, trial))) {
        --stood->enough_gpus;
    }
    return stood;
}

}  // namespace berth::sim

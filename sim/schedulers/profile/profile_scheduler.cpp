#include "sim/schedulers/profile/profile_scheduler.hpp"

#include <fmt/format.h>
#include <Eigen/Core>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "core/support/assert.hpp"
#include "sim/backfill/expected_run.hpp"
#include "sim/cluster/service_resource.hpp"
#include "sim/job/members.hpp"
#include "sim/schedulers/profile/quota_admission.hpp"

namespace berth::sim {

using core::Members;
using core::PlacedNode;

namespace {

__extension__ using Wide = __int128;

std::int64_t saturated(Wide sum) {
    return static_cast<std::int64_t>(std::min(sum, Wide{INT64_MAX}));
}

/// The capacity of the whole topology, including servers that are absent when the run begins.
std::vector<core::Amount> whole_capacity(const core::Topology& tree) {
    std::vector<core::Amount> sum(tree.resources().size());
    for (std::uint32_t i = 0; i < tree.server_count(); ++i) {
        const core::Amounts& here = tree.machine_type(core::ServerId{i}).capacity;
        for (std::size_t r = 0; r < sum.size(); ++r) {
            sum[r] += here(static_cast<Eigen::Index>(r));
        }
    }
    return sum;
}

}  // namespace

ProfileScheduler::ProfileScheduler(const Settings& settings, RecordSink& sink, Actions& actions)
    : settings_(settings),
      actions_(actions),
      placer_(settings.profile, actions.cluster(), settings.attainable),
      queue_(settings.quotas ? settings.quotas->preemptors() : Preemptors::none,
             settings.profile.queue.overtaking == Overtaking::backfill,
             !settings.drains.empty()),
      admission_(make_admission(sink)),
      watch_(settings, actions, placer_, *admission_, queue_, jobs_),
      recovery_(settings.on_failure, actions, placer_),
      overtaking_(settings.retry ? settings.profile.queue.overtaking : Overtaking::free),
      service_resource_(service_resource(actions.cluster().topology())) {
    if (settings.profile.queue.owners == OwnerMeasure::decayed_usage) {
        usage_ =
            follow(std::make_unique<UsageFollower>(settings.profile.queue.half_life,
                                                   whole_capacity(actions.cluster().topology()),
                                                   actions,
                                                   jobs_));
    }
    backfilling_ = follow(make_backfilling());
}

void ProfileScheduler::decide_by(ProfileHooks hooks) {
    BERTH_ASSERT(hooks.queue == nullptr || settings_.profile.queue.owners == OwnerMeasure::none,
                 "nothing else orders the queue");
    sorter_ = std::move(hooks.queue);
    placer_.select_by(std::move(hooks.server));
}

template <class Part>
Part* ProfileScheduler::follow(std::unique_ptr<Part> part) {
    Part* const followed = part.get();
    followers_.push_back(std::move(part));
    return followed;
}

std::unique_ptr<Backfilling> ProfileScheduler::make_backfilling() {
    if (overtaking_ != Overtaking::backfill) {
        return std::make_unique<Backfilling>();
    }
    const auto start = [this](JobId id, Members members, Attempt attempt) {
        start_planned(id, members, std::move(attempt));
    };
    return settings_.profile.queue.backfilling(
        {settings_, actions_, queue_, *admission_, jobs_, start});
}

std::unique_ptr<Admission> ProfileScheduler::make_admission(RecordSink& sink) {
    if (settings_.quotas) {
        const auto owner_changes = [this](JobId id, Members pods) {
            if (usage_ != nullptr) {
                usage_->runs(id, pods);
            }
        };
        return std::make_unique<QuotaAdmission>(
            settings_, sink, actions_, queue_, jobs_, placer_, owner_changes);
    }
    if (settings_.admission) {
        return settings_.admission->make_admission(
            settings_.window, sink, actions_, static_cast<PlaceQueue&>(*this));
    }
    if (settings_.profile.queue.owners != OwnerMeasure::none) {
        return std::make_unique<UserAdmission>();
    }
    return std::make_unique<Admission>();
}

void ProfileScheduler::request_cycle(SimTime from) {
    if (cycle_at_ && *cycle_at_ <= from) {
        return;
    }
    const auto at = tick_from(from, settings_.period);
    if (!at || (cycle_at_ && *cycle_at_ <= *at)) {
        return;  // beyond the end of time, or another cycle comes first
    }
    if (cycle_at_) {
        actions_.call_off(Timer::third);  // the run would go on until that cycle for nothing
    }
    cycle_at_ = at;
    actions_.wake(*at, Timer::third);
}

void ProfileScheduler::request_cycle_if_any_waits() {
    if (queue_.size() > 0) {
        request_cycle(actions_.now());
    }
}

std::optional<std::string> ProfileScheduler::rejects(JobId id) {
    jobs_.add(id, {admission_->owner_of(job(id)), {}, 0});
    watch_.submitted(id);
    return admission_->rejects(id);
}

void ProfileScheduler::submitted(JobId id) {
    admission_->asks(id);
    if (actions_.job(id).runs()) {
        jobs_[id].queued.number = actions_.job(id).entry;
        note_runs(id);
        return;
    }
    enqueue(id);
    admission_->changed(id);
    request_cycle(actions_.now());
}

void ProfileScheduler::enqueue(JobId id) {
    OwnJob& own = jobs_[id];
    own.queued = {0, settings_.profile.queue.rank(job(id), own.service), actions_.job(id).entry};
    admission_->waits(id);
    if (admission_->lets_in(id)) {
        let_in(id);
    }
}

void ProfileScheduler::let_in(JobId id) {
    const OwnJob& own = jobs_[id];
    queue_.add(job(id), own.owner, own.queued, id.index, expected_run(actions_.job(id)));
    backfilling_->waits(id);
}

void ProfileScheduler::take_out(JobId id) {
    queue_.remove(job(id), jobs_[id].owner, jobs_[id].queued);
    backfilling_->leaves_queue(id);
}

void ProfileScheduler::start_at(JobId id, Placement placement) {
    actions_.start(id, std::move(placement));
    backfilling_->servers_changed();  // the places may have been promised to other jobs
}

void ProfileScheduler::withdraw(JobId id) {
    BERTH_ASSERT(actions_.job(id).waits(), "who runs is evicted, or ends");
    if (admission_->lets_in(id)) {
        take_out(id);
    }
    admission_->leaves_queue(id);
    actions_.reject(id, "withdrawn.");
    request_cycle_if_any_waits();  // what was promised to it may go to other jobs
}

void ProfileScheduler::note_runs(JobId id) {
    for (const auto& follower : followers_) {
        follower->runs(id, actions_.job(id).record.placed);
    }
    admission_->runs(id);
}

void ProfileScheduler::note_stops(JobId id, const Stints& stints, Members pods) {
    ++releases_;
    for (const auto& follower : followers_) {
        follower->stops(id, stints, pods);
    }
}

void ProfileScheduler::started(JobId id, bool fresh) {
    BERTH_ASSERT(fresh, "this scheduler starts jobs that wait, with all their members at once");
    admission_->leaves_queue(id);
    backfilling_->leaves_queue(id);
    note_runs(id);
}

void ProfileScheduler::evicted(JobId id, const Stay& stay, EvictionCause cause) {
    jobs_[id].service = saturated(Wide{jobs_[id].service} + service_of(id, stay));
    Members pods = 0;
    for (const Stint& stint : stay.stints) {
        pods += stint.members;
    }
    note_stops(id, stay.stints, pods);
    admission_->evicted(id, stay, cause);
    if (is_given_up(id)) {
        admission_->waits(id);
        admission_->leaves_queue(id);
        actions_.drop(id);
    } else {
        enqueue(id);
        admission_->changed(id);
        if (cause == EvictionCause::node_failed && admission_->lets_in(id)) {
            recovery_.interrupted(id, stay);
        }
    }
    request_cycle(actions_.now());
}

namespace {

/// Whether some member of a job has left its server.
bool is_elsewhere(const JobRecord& record, const Stay& stay) {
    return std::ranges::any_of(stay.stints, [&](const Stint& left) {
        return std::ranges::none_of(record.stints, [&](const Stint& now) {
            return !now.finish && now.server == left.server;
        });
    });
}

}  // namespace

void ProfileScheduler::moved(JobId id, const Stay& stay) {
    jobs_[id].service = saturated(Wide{jobs_[id].service} + service_of(id, stay));
    const Members pods = actions_.job(id).record.placed;
    for (const auto& follower : followers_) {
        follower->stops(id, stay.stints, pods);
        follower->runs(id, pods);
    }
    backfilling_->servers_changed();  // its places may have been promised to other jobs
    if (is_elsewhere(actions_.job(id).record, stay)) {
        ++releases_;
        request_cycle(actions_.now());  // there is room where it was
    }
}

void ProfileScheduler::event_handled() {
    if (recovery_.any()) {
        rank_owners();
        const auto in_queue = [&](const Recovery::Interrupted& job) {
            return queue_.in_order(jobs_[job.id].owner, jobs_[job.id].queued);
        };
        for (Recovery::Interrupted& interrupted : recovery_.take(in_queue)) {
            go_on(std::move(interrupted));
        }
    }
    admission_->event_handled();
    watch_.event_handled();
}

/// Starts a group again on what is left of its places, if that is possible, before waiting jobs
/// have their turn.
void ProfileScheduler::go_on(Recovery::Interrupted&& interrupted) {
    const JobId id = interrupted.id;
    const bool may = queue_.select(job(id), jobs_[id].owner, jobs_[id].queued);
    const Members admitted = may ? admission_->admissible(id, job(id)) : 0;
    if (auto attempt = recovery_.find(std::move(interrupted), admitted)) {
        queue_.taken();
        start(id, *std::move(attempt));
        backfilling_->servers_changed();  // the places may have been promised to other jobs
    }
}

void ProfileScheduler::ended(JobId id) {
    const JobRecord& record = actions_.job(id).record;
    if (record.outcome == Outcome::finished) {
        note_stops(id, record.stints, record.placed);
    }
    admission_->ended(id);
    if (sorter_ != nullptr) {
        sorter_->ended(id);
    }
    if (record.outcome == Outcome::finished) {
        request_cycle_if_any_waits();
    }
    jobs_.remove(id);
}

/// Whether a job that waits was interrupted so often that it will not be tried again.
bool ProfileScheduler::is_given_up(JobId id) const {
    const auto failed = static_cast<std::size_t>(EvictionCause::node_failed);
    return actions_.job(id).record.evictions[failed] >= settings_.on_failure.give_up_after;
}

/// The service that a job attained since its last start.
std::int64_t ProfileScheduler::service_of(JobId id, const Stay& stay) const {
    Wide service = 0;
    const auto add = [&](const Stint& stint) {
        const auto ran =
            std::chrono::duration_cast<std::chrono::milliseconds>(*stint.finish - stint.start);
        service += Wide{stint.members} * job(id).demand[service_resource_] * ran.count();
    };
    std::ranges::for_each(stay.stints, add);
    for (const Stint& stint : actions_.job(id).record.stints) {
        if (stint.finish && stint.start >= stay.since) {
            add(stint);  // a stint of members that left in a resize
        }
    }
    return saturated(service);
}

void ProfileScheduler::server_changed(core::ServerId /*server*/,
                                      bool up,
                                      const std::vector<core::Amount>& outside,
                                      bool foreseen) {
    releases_ += up ? 1 : 0;
    if (!foreseen) {
        backfilling_->servers_changed();  // plans include drains
    }
    admission_->server_changed(up, outside);
    request_cycle_if_any_waits();
}

void ProfileScheduler::drains_changed(bool foreseen) {
    ++releases_;
    if (!foreseen) {
        backfilling_->servers_changed();
    }
    admission_->drain_is_over();
    request_cycle_if_any_waits();
}

void ProfileScheduler::change_quotas(std::uint32_t change) {
    if (admission_->change_quotas(change)) {
        request_cycle_if_any_waits();
    }
}

void ProfileScheduler::woken(Timer timer) {
    if (timer == Timer::third) {
        BERTH_ASSERT(cycle_at_ == actions_.now(), "a cycle comes when it is asked for");
        cycle();
    } else if (admission_->woken(timer)) {
        request_cycle(actions_.now());
    }
}

void ProfileScheduler::resize_asked(JobId id, Members size) {
    if (actions_.job(id).waits()) {
        resize_waiting(id, size);
    } else {
        resize_running(id, size);
    }
    admission_->changed(id);
}

void ProfileScheduler::resize_waiting(JobId id, Members size) {
    const OwnJob& own = jobs_[id];
    admission_->asks_for_more(id, size - job(id).size);
    if (!admission_->lets_in(id)) {
        actions_.resize(id, size, {});
        return;
    }
    queue_.remove(job(id), own.owner, own.queued);
    backfilling_->leaves_queue(id);
    backfilling_->waits(id);
    actions_.resize(id, size, {});
    queue_.add(job(id), own.owner, own.queued, id.index, expected_run(actions_.job(id)));
    request_cycle(actions_.now());
}

/// A running job as if it started now and ran for what is left, to place members that join it.
Job ProfileScheduler::as_it_would_go_on(JobId id) const {
    Job going_on = job(id);
    const SimTime end = expected_end(actions_.job(id));
    going_on.expected = end == never ? never : std::max(end - actions_.now(), SimTime(0));
    return going_on;
}

void ProfileScheduler::resize_running(JobId id, Members size) {
    const JobRecord& record = actions_.job(id).record;
    const Members more = size - record.placed;
    const std::vector<PlacedNode> before = running_members(record, actions_.cluster().topology());
    const bool stays = more <= 0 || !actions_.job(id).is_on_its_way_out();
    const auto after = stays && admission_->may_grow(id, more)
                           ? placer_.find_resized(as_it_would_go_on(id), size, before)
                           : std::nullopt;
    if (!after) {
        admission_->not_resized(id, more);
        actions_.refuse_resize(id);
        return;
    }
    for (const auto& follower : followers_) {
        follower->resizes(id);
    }
    actions_.resize(id, size, *after);
    for (const PlacedNode& server : before) {
        const auto now = std::ranges::find(*after, server.node, &PlacedNode::node);
        if (now == after->end() || now->count < server.count) {
            admission_->left(actions_.cluster().topology().server_of(server.node));
            ++releases_;
        }
    }
    for (const auto& follower : followers_) {
        follower->runs(id, more);
    }
    admission_->resized(id, more);
    request_cycle_if_any_waits();
}

Refusal ProfileScheduler::why_waiting(JobId id) {
    if (is_given_up(id)) {
        return {fmt::format("given up after {} interruptions by failures.",
                            settings_.on_failure.give_up_after),
                0};
    }
    if (std::string reason = admission_->explain(id); !reason.empty()) {
        return {std::move(reason), 0};
    }
    if (overtaking_ == Overtaking::free) {
        return placer_.explain(job(id), actions_.job(id).record.placed);
    }
    const Attempt attempt = placer_.find(job(id), job(id).size);
    Refusal refusal = placer_.explain(job(id), attempt.placed);
    if (attempt.found) {
        refusal.reason = "it fits, but the queue's policy holds it back.";
    }
    return refusal;
}

bool ProfileScheduler::holds_back(JobId id) {
    return admission_->admissible(id, job(id)) == 0;
}

const std::string& ProfileScheduler::quota_of(JobId id) {
    return admission_->name_of(id, job(id));
}

}  // namespace berth::sim

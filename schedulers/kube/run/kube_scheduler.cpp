#include "schedulers/kube/run/kube_scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "core/support/assert.hpp"
#include "schedulers/kube/decide/topology_spread.hpp"
#include "schedulers/kube/run/claimed_devices.hpp"
#include "schedulers/kube/run/kube_objects_of_run.hpp"
#include "sim/job/members.hpp"

namespace berth::sim {

namespace kube = core::kube;

using core::Members;
using core::PlacedNode;
using core::ServerId;

std::unique_ptr<Scheduler> KubeSettings::make_scheduler(const Settings& settings,
                                                        RecordSink& sink,
                                                        Actions& actions) const {
    return std::make_unique<KubeScheduler>(*this, settings, sink, actions);
}

KubeScheduler::KubeScheduler(const KubeSettings& own,
                             const Settings& settings,
                             RecordSink& sink,
                             Actions& actions)
    : own_(own),
      settings_(settings),
      sink_(sink),
      actions_(actions),
      admission_(make_admission(sink)),
      nodes_(own, actions.cluster()),
      budgets_(own.objects),
      queue_(own.initial_backoff, own.longest_backoff),
      groups_(own.gangs ? own.gangs->groups : std::vector<PodGroupObject>()) {}

KubeScheduler::Template KubeScheduler::template_of(const Job& job) {
    Template& known =
        templates_[{job.demand, std::string(job.selector()), job.priority, job.name_space.text()}];
    if (known == nullptr) {
        known = std::make_shared<const kube::Pod>(
            pod_of(job, actions_.cluster().topology().resources()));
        if (const KubePodTemplate* of_job = template_in(job);
            of_job != nullptr && of_job->controller) {
            nodes_.know(*of_job->controller);
        }
        pods_matter_ = pods_matter_ || !known->required_affinity.empty() ||
                       !known->required_anti_affinity.empty() ||
                       std::ranges::any_of(known->claims,
                                           [](const auto& one) { return !one.claim.empty(); }) ||
                       !kube::spread_constraints(*known, nodes_.cluster(), true).empty();
    }
    return known;
}

/// The job has so many pods from now on, whether they have nodes or not.
void KubeScheduler::count_pods(JobId id, Members pods) {
    OwnJob& own = jobs_[id];
    budgets_.add(own.asked, pods - std::exchange(own.pods, pods));
}

/// Why the pods of a job must not be tried, if claims are not there. Claims do not come in a run.
std::string KubeScheduler::why_without_claims(JobId id) {
    kube::Pod pod = *jobs_[id].pod;
    pod.name = job(id).name;
    return nodes_.cluster().claims().why_gated(pod);
}

void KubeScheduler::enqueue(JobId id, Members pods) {
    const bool rests = std::exchange(jobs_[id].rests, false);
    if (std::string why = why_without_claims(id); !why.empty()) {
        jobs_[id].message = std::move(why);
        return;
    }
    const bool gated = is_gated(id);
    if (gated) {
        jobs_[id].message = "waiting for minCount pods from a gang to appear in scheduling queue";
    }
    for (Members i = 0; i < pods; ++i) {
        QueuedPod pod;
        pod.number = numbers_++;
        pod.job = id;
        pod.priority = job(id).priority;
        if (rests) {
            queue_.let_rest(std::move(pod), actions_.now());
        } else if (gated) {
            queue_.wait_for_group(std::move(pod), actions_.now());
        } else {
            queue_.add(std::move(pod), actions_.now());
        }
    }
    request_cycle(actions_.now());
}

void KubeScheduler::request_cycle(SimTime at) {
    if (is_deciding_ || (rings_at_ && *rings_at_ <= at)) {
        return;
    }
    if (rings_at_) {
        actions_.call_off(Timer::third);
    }
    rings_at_ = at;
    actions_.wake(at, Timer::third);
}

std::optional<std::string> KubeScheduler::rejects(JobId id) {
    const Template pod = template_of(job(id));
    jobs_.add(id, {pod, job(id).nodes, pod, "", 0, 0, {}, false, false});
    if (watched_ && watched_->arrival == actions_.job(id).record.arrival) {
        watched_->id = id;
    }
    return admission_->rejects(id);
}

void KubeScheduler::submitted(JobId id) {
    admission_->asks(id);
    if (own_.gangs) {
        groups_.add(id, job(id), *jobs_[id].asked);
    }
    const JobState& state = actions_.job(id);
    count_pods(id, state.job().size);
    if (state.waits()) {
        wait(id);
        return;
    }
    for (const auto& [node, count] : running_members(state.record, actions_.cluster().topology())) {
        for (Members i = 0; i < count; ++i) {
            const ServerId server = actions_.cluster().topology().server_of(node);
            QueuedPod pod;
            pod.number = numbers_++;
            pod.job = id;
            place(pod, object_of(pod), server, kube::DeviceClaims::Reservation::runs_beforehand);
        }
    }
    note_ready(id);
}

/// Cycles follow each other until no pod can be tried: one that fails waits for an event.
void KubeScheduler::woken(Timer timer) {
    if (timer != Timer::third) {
        static_cast<void>(admission_->woken(timer));  // whoever is let in asks for a cycle
        return;
    }
    BERTH_ASSERT(rings_at_ == actions_.now(), "cycles come when they are asked for");
    rings_at_.reset();
    admission_->begin_cycle();
    if (queue_.tick(actions_.now())) {
        changed_ = false;
    }
    is_deciding_ = true;
    do {
        while (auto waiting = queue_.pop(actions_.now())) {
            cycle(*std::move(waiting));
        }
    } while (retry_gangs());
    is_deciding_ = false;
    if (const auto next = queue_.next_tick(actions_.now(), changed_)) {
        request_cycle(*next);
    }
}

kube::Pod KubeScheduler::object_of(const QueuedPod& waiting, std::uint64_t ahead) {
    const OwnJob& own = jobs_[waiting.job];
    kube::Pod pod = *own.pod;
    pod.name = job(waiting.job).size > 1
                   ? fmt::format("{}-{}", job(waiting.job).name, own.named + ahead)
                   : job(waiting.job).name;
    pod.uid = fmt::format("{}", waiting.number);
    pod.start_time = actions_.now().count();
    pod.nominated_node = nodes_.nominated_node(waiting.number);
    return pod;
}

void KubeScheduler::cycle(QueuedPod waiting) {
    if (actions_.job(waiting.job).is_on_its_way_out()) {
        nodes_.withdraw(waiting.number);
        return;  // it was deleted when its job was told to leave
    }
    ++cycles_;
    if (const PodGroup* const group = groups_.of(waiting.job)) {
        cycle_of_gang(*group, std::move(waiting));
        return;
    }
    kube::Cluster& cluster = nodes_.cluster();
    const auto failed = failures_.find(jobs_[waiting.job].pod);
    if (failed != failures_.end() && failed->second.version == cluster.version() &&
        nodes_.nominated_node(waiting.number).empty()) {
        note_failure(std::move(waiting), failed->second);
        return;
    }
    if (cluster.nodes().empty()) {
        note_error(std::move(waiting), "no nodes available to schedule pods");
        return;
    }
    kube::Pod pod = object_of(waiting);
    const std::size_t begin = cluster.next_start;
    try {
        const auto decided = nodes_.decider().decide(pod);
        if (const auto* const found = std::get_if<kube::Feasible>(&decided)) {
            fail(std::move(waiting), std::move(pod), *found, cluster.next_start == begin);
        } else {
            start(waiting, std::move(pod), std::get<kube::Choice>(decided).node);
        }
    } catch (const kube::CycleError& error) {
        note_error(std::move(waiting), error.what());
    }
}

/// A pod runs on a server from now on, with the devices of its claims.
void KubeScheduler::place(const QueuedPod& known,
                          kube::Pod pod,
                          ServerId server,
                          kube::DeviceClaims::Reservation how) {
    const kube::Pod& placed = nodes_.place(std::move(pod), known.number, known.job, server, how);
    ++jobs_[known.job].named;
    tell_devices(placed, job(known.job).name, actions_.now(), nodes_.cluster().claims(), sink_);
}

void KubeScheduler::start(const QueuedPod& waiting, kube::Pod pod, std::size_t node) {
    const ServerId server = nodes_.server(node);
    place(waiting, std::move(pod), server, kube::DeviceClaims::Reservation::bound);
    changed_ = true;
    const Template started = jobs_[waiting.job].pod;
    Placement placement;
    placement.servers = {{actions_.cluster().topology().node_of(server), 1}};
    actions_.start(waiting.job, std::move(placement));
    if (pods_matter_) {
        tell_queue({ClusterEvent::Kind::pod_added, started.get(), nullptr});
    }
}

/// `is_lasting`: an equal pod would fail in the same way, as long as nothing changes.
void KubeScheduler::fail(QueuedPod waiting,
                         kube::Pod pod,
                         const kube::Feasible& found,
                         bool is_lasting) {
    budgets_.update(nodes_.cluster());
    const kube::Preemption preemption = kube::preempt(pod, nodes_.cluster(), found);
    Failure failure{
        nodes_.cluster().version(),
        found.diagnosis.plugins,
        kube::fit_error(nodes_.cluster().nodes().size(), found.diagnosis, preemption.message)};
    if (preemption.not_eligible.empty()) {
        nodes_.withdraw(waiting.number);
    }
    note_failure(waiting, failure);
    if (preemption.deallocates != nullptr) {
        deallocate({{&pod, preemption.deallocates}});
    }
    if (!preemption.best.empty()) {
        preempt(std::move(pod), *preemption.best.front());
        return;
    }
    if (is_lasting) {
        failures_.insert_or_assign(jobs_[waiting.job].pod, std::move(failure));
    }
}

/// Takes the devices from claims that no pod uses.
void KubeScheduler::deallocate(
    const std::vector<std::pair<const kube::Pod*, const kube::PodClaim*>>& claims) {
    for (const auto& [pod, claim] : claims) {
        nodes_.deallocate(*pod, *claim);
    }
    if (!claims.empty()) {
        deallocations_ = nodes_.cluster().claims().deallocations();
        tell_queue({ClusterEvent::Kind::claim_deallocated, nullptr, nullptr, true});
    }
}

void KubeScheduler::note_failure(QueuedPod waiting, const Failure& failure) {
    note_message(waiting.job, failure, inquire_for(waiting));
    queue_.put_back(std::move(waiting), failure.rejected_by, actions_.now());
}

/// A cycle could not be carried out. The pod no longer waits for a node.
void KubeScheduler::note_error(QueuedPod waiting, const std::string& message) {
    nodes_.withdraw(waiting.number);
    note_message(waiting.job, {0, {}, message}, inquire_for(waiting));
    queue_.put_back_after_error(std::move(waiting), actions_.now());
}

void KubeScheduler::note_message(JobId id, const Failure& failure, const Inquire& inquire) {
    tell_watcher(id, failure, inquire);
    jobs_[id].message = failure.message;
    if (actions_.job(id).waits()) {
        actions_.note_attempt(id, 0, std::nullopt);
    }
}

/// The pod waits for the room of its victims.
void KubeScheduler::preempt(kube::Pod pod, const kube::PreemptionCandidate& best) {
    clear_nominations(pod, best.node);
    pod.nominated_node = best.node;
    nodes_.nominate(std::move(pod));
    evict_all(best.victims);
}

/// Pods that are less important no longer wait for a node on which others are preempted for `pod`.
void KubeScheduler::clear_nominations(const kube::Pod& pod, const std::string& node) {
    std::vector<std::uint64_t> cleared;
    for (const kube::CountedPod* other : nodes_.cluster().nominated_to(node)) {
        if (other->pod.priority < pod.priority) {
            cleared.push_back(number_of(other->pod));
        }
    }
    for (const std::uint64_t number : cleared) {
        nodes_.withdraw(number);
    }
}

/// A job that loses a pod loses all of them.
void KubeScheduler::evict_all(const std::vector<const kube::CountedPod*>& victims) {
    std::vector<JobId> jobs;
    for (const kube::CountedPod* victim : victims) {
        const JobId id = nodes_.job_of(victim->pod);
        if (std::ranges::find(jobs, id) == jobs.end()) {
            jobs.push_back(id);
        }
    }
    for (const JobId id : jobs) {
        actions_.evict(id, EvictionCause::preempted);
    }
}

void KubeScheduler::evicted(JobId id, const Stay& stay, EvictionCause cause) {
    forget_waiting(id, job(id).size);
    if (nodes_.remove_all(id)) {
        pods_left(id);
    }
    jobs_[id].named = 0;
    jobs_[id].is_ready = false;
    admission_->evicted(id, stay, cause);
    if (is_given_up(id)) {
        admission_->waits(id);
        admission_->leaves_queue(id);
        actions_.drop(id);
        return;
    }
    // Gangs that preempt each other in turn would do so without end at one instant.
    const bool is_preempted = own_.gangs && cause == EvictionCause::preempted;
    jobs_[id].rests = is_preempted && jobs_[id].preempted_at == OptionalTime(actions_.now());
    if (is_preempted) {
        jobs_[id].preempted_at = actions_.now();
    }
    wait(id);
}

bool KubeScheduler::is_given_up(JobId id) const {
    const auto failed = static_cast<std::size_t>(EvictionCause::node_failed);
    return actions_.job(id).record.evictions[failed] >= settings_.on_failure.give_up_after;
}

void KubeScheduler::ended(JobId id) {
    forget_waiting(id, job(id).size);
    if (nodes_.remove_all(id)) {
        pods_left(id);
    }
    count_pods(id, 0);
    admission_->ended(id);
    jobs_[id] = {};
    groups_.remove(id);
    jobs_.remove(id);
}

/// At most so many pods of a job that wait leave the queue.
void KubeScheduler::forget_waiting(JobId id, Members most) {
    for (Members i = 0; i < most; ++i) {
        const auto number = queue_.remove_last_of(id);
        if (!number) {
            return;
        }
        nodes_.withdraw(*number);
    }
}

/// Pods of a job left their nodes. They are equal, so one of them stands for all.
void KubeScheduler::pods_left(JobId id) {
    const Template left = jobs_[id].pod;
    const std::uint64_t deallocations = nodes_.cluster().claims().deallocations();
    const bool frees_devices = std::exchange(deallocations_, deallocations) != deallocations;
    tell_queue({ClusterEvent::Kind::pod_deleted, left.get(), nullptr, frees_devices});
}

void KubeScheduler::tell_queue(const ClusterEvent& event) {
    changed_ = true;
    queue_.move_if(actions_.now(), [&](const QueuedPod& waiting) {
        return may_help(event, *jobs_[waiting.job].pod, waiting.rejected_by, nodes_.cluster());
    });
    if (queue_.can_pop() || queue_.has_parked()) {
        request_cycle(actions_.now());
    }
}

void KubeScheduler::resize_asked(JobId id, Members size) {
    const JobState& state = actions_.job(id);
    if (state.waits()) {
        resize_waiting(id, size);
        count_pods(id, size);
        return;
    }
    if (size > state.record.placed) {
        admission_->not_resized(id, size - state.record.placed);
        actions_.refuse_resize(id);
        return;
    }
    forget_waiting(id, job(id).size);
    std::vector<PlacedNode> after = running_members(state.record, actions_.cluster().topology());
    for (Members leaving = state.record.placed - size; leaving > 0;) {
        PlacedNode& last = after.back();
        const Members here = std::min(leaving, last.count);
        const ServerId server = actions_.cluster().topology().server_of(last.node);
        nodes_.remove(id, server, here);
        leaving -= here;
        last.count -= here;
        if (last.count == 0) {
            after.pop_back();
        }
    }
    const Members left = state.record.placed - size;
    actions_.resize(id, size, after);
    count_pods(id, size);
    admission_->resized(id, -left);
    note_ready(id);
    if (left > 0) {
        pods_left(id);
    }
}

void KubeScheduler::resize_waiting(JobId id, Members size) {
    const bool is_in = admission_->lets_in(id);
    const Members before = admission_->admissible(id, job(id));
    admission_->asks_for_more(id, size - job(id).size);
    if (!is_in) {
        actions_.resize(id, size, {});
        return;
    }
    forget_waiting(id, before - size);
    actions_.resize(id, size, {});
    queue_.activate_parked(actions_.now(), [&](const QueuedPod& pod) { return pod.job == id; });
    enqueue(id, std::max<Members>(0, admission_->admissible(id, job(id)) - before));
}

void KubeScheduler::server_changed(ServerId server,
                                   bool up,
                                   const std::vector<core::Amount>& outside,
                                   bool /*foreseen*/) {
    if (up) {
        nodes_.come(server, outside);
    } else {
        nodes_.leave(server);
    }
    failures_.clear();  // their versions are those of the cluster before
    tell_queue({up ? ClusterEvent::Kind::node_added : ClusterEvent::Kind::node_deleted,
                nullptr,
                &nodes_.node(server)});
    admission_->server_changed(up, outside);
}

/// Checks that pods run where the members of their jobs are, and what the admission says.
std::optional<core::Violation> KubeScheduler::find_violation() {
    std::optional<core::Violation> violation = admission_->find_violation();
    actions_.each_job([&](JobId id) {
        const JobState& state = actions_.job(id);
        std::map<ServerId, Members> members;
        if (state.runs()) {
            for (const auto& [place, count] :
                 running_members(state.record, actions_.cluster().topology())) {
                members[actions_.cluster().topology().server_of(place)] += count;
            }
        }
        if (!violation && members != nodes_.servers_of(id)) {
            violation = core::Violation{"pods run where the members of their jobs are",
                                        fmt::format("job {}", state.job().name),
                                        fmt::format("{} servers", nodes_.servers_of(id).size()),
                                        fmt::format("{} servers", members.size())};
        }
    });
    return violation;
}

}  // namespace berth::sim

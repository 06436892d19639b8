#include "sim/kueue/kueue_admission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "core/support/assert.hpp"

namespace berth::sim {

namespace kueue = core::kueue;

using core::Members;
using kueue::PendingId;

namespace {

/// Of jobs that name none.
const std::string default_namespace = "default";

std::vector<std::string> queue_names(const kueue::Cache& cache) {
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < cache.queue_count(); ++i) {
        names.push_back(cache.queue(kueue::QuotaNode{i}).name);
    }
    return names;
}

std::string_view word_of(kueue::PreemptionReason reason) {
    constexpr std::array<std::string_view, 4> words{"InClusterQueue",
                                                    "InCohortReclamation",
                                                    "InCohortFairSharing",
                                                    "InCohortReclaimWhileBorrowing"};
    return words[static_cast<std::size_t>(reason)];
}

}  // namespace

KueueAdmission::KueueAdmission(const KueueSettings& settings,
                               Window window,
                               Actions& actions,
                               PlaceQueue& places)
    : settings_(settings),
      actions_(actions),
      places_(places),
      objects_(settings.cache),
      workloads_(actions.cluster().topology().resources(), objects_.names),
      cache_(std::move(objects_)),
      nodes_(settings.cache.flavors, actions.cluster().topology()),
      queues_(cache_),
      meter_(queue_names(cache_), window) {
    if (!settings_.topologies.empty()) {
        topologies_.emplace(settings_, actions_.cluster(), cache_.names(), nodes_);
        cache_.set_topologies(&topologies_->flavors());
    }
}

KueueAdmission::Known& KueueAdmission::known(JobId id) {
    BERTH_ASSERT(id.index < known_.size(), "who is not known has not come");
    return known_[id.index];
}

const std::string& KueueAdmission::name_of(JobId id, const Job& job) {
    const auto& queue = known(id).queue;
    return queue ? cache_.queue(*queue).name : job.quota;
}

std::optional<std::string> KueueAdmission::rejects(JobId id) {
    known_.resize(std::max<std::size_t>(known_.size(), id.index + 1));
    known(id) = {};
    const Job& job = actions_.job(id).job();
    if (job.quota.empty()) {
        return std::nullopt;
    }
    const std::string& name_space = job.name_space.empty() ? default_namespace : job.name_space;
    std::string queue = job.quota;
    if (!settings_.local_queues.empty()) {
        const auto local = settings_.local_queues.find({name_space, job.quota});
        if (local == settings_.local_queues.end()) {
            return fmt::format("LocalQueue {}/{} doesn't exist.", name_space, job.quota);
        }
        queue = local->second;
    }
    known(id).queue = cache_.find_queue(queue);
    if (!known(id).queue) {
        return fmt::format("ClusterQueue {} doesn't exist.", queue);
    }
    return may_be_placed_here(id) ? topologies_->refuses(job) : std::nullopt;
}

/// Whether its ClusterQueue has a flavor with a topology.
bool KueueAdmission::may_be_placed_here(JobId id) {
    const auto has = [&](kueue::FlavorId flavor) { return topologies_->flavors().has(flavor); };
    return topologies_ &&
           std::ranges::any_of(cache_.queue(*known(id).queue).groups, [&](const auto& group) {
               return std::ranges::any_of(group.flavors, has);
           });
}

void KueueAdmission::waits(JobId id) {
    Known& job = known(id);
    if (job.queue && !job.held) {
        meter_.waits_for_quota(id, actions_.job(id).job(), *job.queue, actions_.now());
        offer(id);
    } else if (job.held) {
        meter_.waits_for_places(id, actions_.job(id).job(), *job.queue, actions_.now());
        await_places(id);
    }
}

bool KueueAdmission::lets_in(JobId id) {
    return !known(id).queue || (known(id).held && !is_placed_here(id));
}

/// Its pods are to be ready in time.
void KueueAdmission::await_places(JobId id) {
    if (settings_.pods_ready) {
        remember({actions_.now() + settings_.pods_ready->timeout, Task::Kind::time_out, id.index});
    }
}

void KueueAdmission::leaves_queue(JobId id) {
    if (queues_.waits(PendingId{id.index})) {
        (void)queues_.remove(PendingId{id.index});
        cycle_wanted_ = true;  // others are the first of its queue
    }
    forget_task_of(id);
}

void KueueAdmission::runs(JobId id) {
    meter_.placed(id, actions_.now());
}

void KueueAdmission::evicted(JobId id, const Stay& /*stay*/, EvictionCause cause) {
    if (!known(id).held) {
        return;
    }
    if (cause == EvictionCause::preempted) {
        release(id);
    } else if (is_placed_here(id)) {
        release(id);  // others may have its places: it needs new ones
        known(id).evicted = {"NodeFailures", kueue_time(actions_.now())};
    }
}

void KueueAdmission::ended(JobId id) {
    Known& job = known(id);
    if (job.held) {
        release(id);
    }
    forget_task_of(id);
    meter_.leaves(id);
    std::erase(hopeless_, id);
    job = {};
}

Members KueueAdmission::admissible(JobId id, const Job& job) {
    const Known& its = known(id);
    if (!its.queue) {
        return job.size;
    }
    return its.held ? std::min(its.members, job.size) : 0;
}

std::string KueueAdmission::explain(JobId id) {
    const Known& job = known(id);
    if (!job.queue || job.held) {
        return {};
    }
    if (!cache_.is_active(*job.queue)) {
        return fmt::format("ClusterQueue {} is inactive.", cache_.queue(*job.queue).name);
    }
    const PendingId pending{id.index};
    std::string why = job.message;
    if (why.empty() && queues_.waits(pending)) {
        why = queues_.why_parked(pending);  // one like it was looked at in its place
    }
    return (why.empty() ? "it waits behind others of its ClusterQueue" : why) + ".";
}

kueue::Workload KueueAdmission::workload_of(JobId id) {
    const Known& job = known(id);
    kueue::Workload workload =
        workloads_.make(actions_.job(id).job(), actions_.job(id).arrival, cache_, *job.queue);
    if (may_be_placed_here(id)) {
        workload.pod_sets.front().topology = topologies_->request_of(actions_.job(id).job());
    }
    workload.evicted = job.evicted;
    workload.preempted = job.preempted;
    return workload;
}

void KueueAdmission::offer(JobId id) {
    queues_.add(PendingId{id.index}, workload_of(id));
    cycle_wanted_ = true;
}

/// What it held is free for others, who are told a little later.
void KueueAdmission::release(JobId id) {
    Known& job = known(id);
    const kueue::Workload gone = cache_.remove_workload(*job.held);
    if (std::erase(starting_, id) > 0) {
        topologies_->flavors().cancel(gone);
    } else if (topologies_) {
        topologies_->flavors().let_go(gone);
    }
    holders_.erase(*job.held);
    job.held.reset();
    job.members = 0;
    job.leaving = false;
    cycle_wanted_ = true;
    const kueue::QuotaNode root = cache_.tree().root(*job.queue);
    if (retrying_.insert(root).second) {
        remember({actions_.now() + settings_.retry_after, Task::Kind::retry, root.index});
    }
}

/// Nobody would see the end of a run in which two workloads preempt each other in turn.
void KueueAdmission::give_up_hopeless() {
    for (const JobId id : std::exchange(hopeless_, {})) {
        if (!queues_.waits(PendingId{id.index})) {
            hopeless_.push_back(id);  // it runs on during its grace
            continue;
        }
        (void)queues_.remove(PendingId{id.index});
        known(id).message =
            fmt::format("given up after {} preemptions: workloads preempt each other in turn",
                        known(id).preemptions);
        actions_.drop(id);
    }
}

void KueueAdmission::event_handled() {
    give_up_hopeless();
    start_placed();
    if (cycle_wanted_ && !cycle_armed_ && queues_.has_heads()) {
        cycle_armed_ = true;
        actions_.wake(std::max(actions_.now(), rests_until_), Timer::first);
    }
}

bool KueueAdmission::woken(Timer timer) {
    if (timer == Timer::first) {
        cycle_armed_ = false;
        return run_cycles();
    }
    rings_at_.reset();
    while (!tasks_.empty() && tasks_.begin()->at <= actions_.now()) {
        const Task task = *tasks_.begin();
        tasks_.erase(tasks_.begin());
        do_task(task);
    }
    arm();
    return false;
}

void KueueAdmission::do_task(const Task& task) {
    if (task.kind != Task::Kind::retry) {
        known(JobId{task.of}).task.reset();
    }
    switch (task.kind) {
        case Task::Kind::retry:
            retrying_.erase(kueue::QuotaNode{task.of});
            queues_.retry(kueue::QuotaNode{task.of});
            cycle_wanted_ = true;
            return;
        case Task::Kind::offer_again:
            offer(JobId{task.of});
            return;
        case Task::Kind::time_out:
            time_out(JobId{task.of});
            return;
    }
}

void KueueAdmission::remember(const Task& task) {
    if (task.kind != Task::Kind::retry) {
        std::optional<Task>& of_job = known(JobId{task.of}).task;
        BERTH_ASSERT(!of_job, "a job has one task at a time");
        of_job = task;
    }
    tasks_.insert(task);
    arm();
}

void KueueAdmission::forget_task_of(JobId id) {
    if (const auto task = std::exchange(known(id).task, std::nullopt)) {
        tasks_.erase(*task);
        arm();
    }
}

/// One ring is asked for at a time: a run would go on until those that nobody needs any more.
void KueueAdmission::arm() {
    const std::optional<SimTime> next =
        tasks_.empty() ? std::nullopt : std::optional(tasks_.begin()->at);
    if (next == rings_at_) {
        return;
    }
    if (rings_at_) {
        actions_.call_off(Timer::second);
    }
    rings_at_ = next;
    if (rings_at_) {
        actions_.wake(*rings_at_, Timer::second);
    }
}

/// Returns whether anybody was admitted.
bool KueueAdmission::run_cycles() {
    if (cycles_at_ != actions_.now()) {
        cycles_at_ = actions_.now();
        preempted_then_.clear();
    }
    bool admitted = false;
    std::set<HeadsLeft> seen;
    while (queues_.has_heads() && rests_until_ <= actions_.now()) {
        CycleOutcome outcome = run_cycle();
        admitted = admitted || outcome.admitted;
        if (outcome.admitted || outcome.preempted || outcome.parked) {
            seen.clear();
        } else if (!seen.insert(std::move(outcome.left)).second) {
            break;
        }
    }
    cycle_wanted_ = rests_until_ > actions_.now();
    return admitted;
}

KueueAdmission::CycleOutcome KueueAdmission::run_cycle() {
    const std::vector<PendingId> ids = queues_.pop_heads();
    std::vector<const kueue::Workload*> heads;
    std::map<const kueue::Workload*, JobId> jobs;
    for (const PendingId id : ids) {
        heads.push_back(&queues_.workload(id));
        jobs.emplace(heads.back(), JobId{id.index});
    }
    kueue::Cycle cycle(cache_, kueue_time(actions_.now()), ++cycles_);
    CycleOutcome outcome;
    std::vector<kueue::Target> targets;
    for (const kueue::Entry& entry : cycle.run(heads)) {
        const JobId id = jobs.at(entry.workload);
        if (entry.is_admitted()) {
            admit(id, entry);
            outcome.admitted = true;
        } else {
            send_back(id, entry, outcome);
            if (entry.preempts()) {
                std::ranges::copy(entry.nomination->targets, std::back_inserter(targets));
            }
        }
    }
    for (const kueue::Target& target : targets) {
        outcome.preempted = preempt(target) || outcome.preempted;
    }
    start_placed();
    return outcome;
}

void KueueAdmission::admit(JobId id, const kueue::Entry& entry) {
    Known& job = known(id);
    const SimTime now = actions_.now();
    const kueue::Assignment& assignment = entry.nomination->assignment;
    job.members = static_cast<core::Members>(assignment.pod_sets.front().count);
    job.held =
        cache_.add_workload(workloads_.admit(queues_.remove(PendingId{id.index}), assignment, now));
    holders_.emplace(*job.held, id);
    job.evicted.reset();
    job.message.clear();
    actions_.set_condition(
        id,
        Condition::Type::admitted,
        fmt::format("Quota reserved in ClusterQueue {}", cache_.queue(*job.queue).name));
    meter_.admitted(id, now);
    select_nodes(id);
    await_places(id);
    if (is_placed_here(id)) {
        topologies_->flavors().reserve(cache_.workload(*job.held));
        starting_.push_back(id);
    } else {
        places_.let_in(id);
    }
}

/// Its pods run on servers with the labels of the flavors that it got.
void KueueAdmission::select_nodes(JobId id) {
    std::set<kueue::FlavorId> flavors;
    for (const kueue::PodSetResources& set : cache_.workload(*known(id).held).totals) {
        for (const auto& [resource, flavor] : set.flavors) {
            flavors.insert(flavor);
        }
    }
    actions_.select_nodes(id, nodes_.of(flavors));
}

void KueueAdmission::start_placed() {
    for (const JobId id : std::vector<JobId>(starting_)) {
        const kueue::Workload& workload = cache_.workload(*known(id).held);
        auto placement = topologies_->placement(workload);
        if (placement && topologies_->has_room(actions_.job(id).job(), *placement)) {
            std::erase(starting_, id);
            topologies_->flavors().cancel(workload);
            topologies_->flavors().hold(workload);
            places_.start_at(id, *std::move(placement));
        }
    }
}

bool KueueAdmission::is_placed_here(JobId id) {
    const Known& job = known(id);
    bool is_placed = false;
    if (job.held) {
        kueue::for_each_place(cache_.workload(*job.held), [&](auto&&...) { is_placed = true; });
    }
    return is_placed;
}

void KueueAdmission::send_back(JobId id, const kueue::Entry& entry, CycleOutcome& outcome) {
    const PendingId pending{id.index};
    queues_.requeue(pending, entry);
    if (queues_.is_parked(pending)) {
        outcome.parked = true;
    } else {
        outcome.left.emplace_back(id.index, entry.last ? entry.last->tried : kueue::TriedFlavors{});
    }
    Known& job = known(id);
    job.lack = kueue::lack_of(entry, cache_);
    ++job.looks;
    if (job.message != entry.message) {
        job.message = entry.message;
        actions_.set_condition(id, Condition::Type::blocked, entry.message);
    }
}

/// Returns whether the target was not on its way out before.
bool KueueAdmission::preempt(const kueue::Target& target) {
    const auto holder = holders_.find(target.workload);
    if (holder == holders_.end() || known(holder->second).leaving) {
        return false;
    }
    const JobId id = holder->second;
    constexpr std::uint32_t too_often = 10;
    constexpr std::uint32_t for_ever = 1000;
    if (++known(id).preemptions == for_ever) {
        hopeless_.push_back(id);
    }
    if (++preempted_then_[id] == too_often) {
        rests_until_ = actions_.now() + settings_.retry_after;  // it would go on like this for ever
    }
    Known& job = known(id);
    const kueue::Time now = kueue_time(actions_.now());
    job.evicted = {"Preempted", now};
    job.preempted = {std::string(word_of(target.reason)), now};
    meter_.preempted(actions_.job(id).job(), *job.queue);
    if (actions_.job(id).runs()) {
        job.leaving = true;
        cache_.set_evicted(target.workload, *job.evicted, *job.preempted);
        actions_.evict(id, EvictionCause::preempted, settings_.grace);
    } else {
        stop_seeking_places(id);
        forget_task_of(id);
        release(id);
        meter_.waits_for_quota(id, actions_.job(id).job(), *job.queue, actions_.now());
        offer(id);
    }
    return true;
}

void KueueAdmission::stop_seeking_places(JobId id) {
    if (lets_in(id)) {
        places_.take_out(id);
    }
}

/// Not all its pods run, so long after it was admitted: it comes back behind the others, after a
/// while.
void KueueAdmission::time_out(JobId id) {
    Known& job = known(id);
    const WaitForPodsReady& rule = *settings_.pods_ready;
    stop_seeking_places(id);
    release(id);
    meter_.timed_out(actions_.job(id).job());
    meter_.waits_for_quota(id, actions_.job(id).job(), *job.queue, actions_.now());
    job.evicted = {"PodsReadyTimeout", kueue_time(actions_.now())};
    if (rule.give_up_after && job.timeouts >= *rule.give_up_after) {
        job.message = "Deactivated: its pods were not ready in time too often";
        actions_.drop(id);
        return;
    }
    SimTime pause = rule.backoff;
    for (std::uint32_t i = 0; i < job.timeouts && pause < rule.most; ++i) {
        pause *= 2;
    }
    ++job.timeouts;
    job.message = "Its pods were not ready in time: it is offered again after a while";
    actions_.set_condition(id, Condition::Type::blocked, job.message);
    remember({actions_.now() + std::min(pause, rule.most), Task::Kind::offer_again, id.index});
}

std::optional<core::Violation> KueueAdmission::find_wrong_usage() const {
    for (std::uint32_t i = 0; i < cache_.queue_count(); ++i) {
        const kueue::QuotaNode queue{i};
        kueue::FlavorResourceAmounts sum;
        for (const kueue::WorkloadId workload : cache_.workloads(queue)) {
            for (const auto& [what, amount] : cache_.workload(workload).usage()) {
                kueue::add_to(sum, what, amount);
            }
        }
        for (const auto& [what, amount] : sum) {
            if (cache_.tree().usage(queue, what) != amount) {
                return core::Violation{"a ClusterQueue uses what its workloads hold",
                                       cache_.queue(queue).name,
                                       fmt::format("{}", cache_.tree().usage(queue, what)),
                                       fmt::format("{}", amount)};
            }
        }
    }
    return std::nullopt;
}

std::optional<core::Violation> KueueAdmission::find_violation() {
    auto found = find_wrong_usage();
    actions_.each_job([&](JobId id) {
        const Known& job = known(id);
        if (actions_.job(id).ended() || !job.queue || found) {
            return;
        }
        const int comes_back = job.task && job.task->kind == Task::Kind::offer_again ? 1 : 0;
        const auto states =
            (job.held ? 1 : 0) + (queues_.waits(PendingId{id.index}) ? 1 : 0) + comes_back;
        const bool mine = !job.held || holders_.at(*job.held) == id;
        if (states != 1 || !mine) {
            found = core::Violation{"a job holds quota, waits for it, or comes back later",
                                    actions_.job(id).job().name,
                                    fmt::format("{} of them", states),
                                    "one of them"};
        }
    });
    return found;
}

}  // namespace berth::sim

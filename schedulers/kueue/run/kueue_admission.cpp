#include "schedulers/kueue/run/kueue_admission.hpp"

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

/// The namespace of jobs that do not name one.
const std::string default_namespace = "default";

std::vector<std::string> queue_names(const kueue::Cache& cache) {
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < cache.queue_count(); ++i) {
        names.push_back(cache.queue(kueue::QuotaNode{i}).name);
    }
    return names;
}

/// A name for each LocalQueue, in the order of their numbers, made of the names of its
/// ClusterQueue, its namespace and itself; empty if its usage does not count.
std::vector<std::string> local_queue_names(const KueueSettings& settings) {
    std::vector<std::string> names;
    for (const auto& [name, local] : settings.local_queues) {
        const auto& queues = settings.cache.queues;
        const auto queue =
            std::ranges::find(queues, local.cluster_queue, &kueue::ClusterQueue::name);
        const bool counts =
            settings.admission_fair_sharing && queue != queues.end() && queue->shares_by_usage;
        names.push_back(
            counts ? fmt::format("{}/{}/{}", local.cluster_queue, name.first, name.second) : "");
    }
    return names;
}

/// The cache, which knows of the ledger before it is asked anything.
kueue::Cache& with_ledger(kueue::Cache& cache,
                          const std::optional<kueue::LocalQueueLedger>& ledger) {
    cache.set_local_queues(ledger ? &*ledger : nullptr);
    return cache;
}

}  // namespace

KueueAdmission::KueueAdmission(const KueueSettings& settings,
                               Window window,
                               RecordSink& sink,
                               Actions& actions,
                               PlaceQueue& places)
    : settings_(settings),
      local_queues_(settings.local_queues),
      sink_(sink),
      actions_(actions),
      places_(places),
      objects_(settings.cache),
      workloads_(actions.cluster().topology().resources(), objects_.names),
      cache_(std::move(objects_)),
      nodes_(settings.cache.flavors, actions.cluster().topology()),
      ledger_(settings.admission_fair_sharing
                  ? std::optional<kueue::LocalQueueLedger>(
                        std::in_place, *settings.admission_fair_sharing, cache_.names())
                  : std::nullopt),
      queues_(with_ledger(cache_, ledger_)),
      meter_(queue_names(cache_), local_queue_names(settings), window) {
    for (const auto& [name, queue] : local_queues_) {
        local_names_.emplace(&queue, fmt::format("{}/{}", name.first, name.second));
        if (ledger_) {
            ledger_ids_.emplace(&queue, ledger_->add(queue.weight));
        }
    }
    if (!settings_.topologies.empty()) {
        topologies_.emplace(settings_, actions_.cluster(), cache_.names(), nodes_);
        cache_.set_topologies(&topologies_->flavors());
    }
}

KueueAdmission::Known& KueueAdmission::known(JobId id) {
    BERTH_ASSERT(known_.find(id) != nullptr, "who is not known has not come, or has ended");
    return known_[id];
}

const std::string& KueueAdmission::name_of(JobId id, const Job& job) {
    const auto& queue = known(id).queue;
    return queue ? cache_.queue(*queue).name : job.quota.text();
}

std::optional<std::string> KueueAdmission::rejects(JobId id) {
    known_.add(id);
    const Job& job = actions_.job(id).job();
    known(id).first_size = job.size;
    known(id).first_least = job.min_available;
    if (job.quota.empty()) {
        return std::nullopt;
    }
    const std::string& name_space =
        job.name_space.empty() ? default_namespace : job.name_space.text();
    std::string queue = job.quota;
    if (!local_queues_.empty()) {
        const auto local = local_queues_.find({name_space, job.quota});
        if (local == local_queues_.end()) {
            return fmt::format("LocalQueue {}/{} doesn't exist.", name_space, job.quota);
        }
        known(id).local = &local->second;
        known(id).local_name = local_names_.at(&local->second);
        queue = local->second.cluster_queue;
    }
    known(id).queue = cache_.find_queue(queue);
    if (!known(id).queue) {
        return fmt::format("ClusterQueue {} doesn't exist.", queue);
    }
    if (ledger_ && known(id).local != nullptr && cache_.queue(*known(id).queue).shares_by_usage) {
        known(id).shares = ledger_ids_.at(known(id).local);
    }
    auto refusal = may_be_placed_here(id) ? topologies_->refuses(job) : std::nullopt;
    if (refusal && job.servers) {
        known(id).queue.reset();  // it runs nevertheless
        return std::nullopt;
    }
    return refusal;
}

/// Whether the job's ClusterQueue has a flavor with a topology.
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
        wait_for_quota(id);
        if (job.pause) {
            remember({after(actions_.now(), *job.pause), Task::Kind::offer_again, id.index});
            job.pause.reset();
        } else {
            offer(id);
        }
    } else if (job.held) {
        if (actions_.job(id).job().servers) {
            select_nodes(id);  // this was not done, because it ran from the start
        }
        meter_.waits_for_places(id, actions_.job(id).job(), lines_of(job), actions_.now());
        await_places(id);
    }
}

bool KueueAdmission::lets_in(JobId id) {
    const Known& job = known(id);
    return !job.queue || (job.held && !job.being_written && !is_placed_here(id));
}

/// A job begins to wait for places: its pods are to be ready in time. If they were not when it lost
/// some of them, that time runs on.
void KueueAdmission::await_places(JobId id) {
    known(id).awaited_since = happened_;
    if (settings_.pods_ready && !known(id).task) {
        remember(
            {after(actions_.now(), settings_.pods_ready->timeout), Task::Kind::time_out, id.index});
    }
}

void KueueAdmission::leaves_queue(JobId id) {
    if (queues_.waits(PendingId{id.index})) {
        (void)queues_.remove(PendingId{id.index});
        cycle_wanted_ = true;  // another job may now be the first of its queue
    }
    forget_task_of(id);
}

void KueueAdmission::runs(JobId id) {
    ++happened_;
    if (known(id).queue && !known(id).held) {
        hold_from_the_start(id);
    }
    meter_.placed(id, actions_.now());
}

void KueueAdmission::ended(JobId id) {
    const Stints& stints = actions_.job(id).record.stints;
    happened_ += stints.empty() ? 0 : 1;
    note_freed(id, stints);
    Known& job = known(id);
    if (job.held) {
        release(id, QuotaEnd::ended);
    } else if (job.holding.queued) {
        record_hold(id, QuotaEnd::ended);
    }
    forget_task_of(id);
    if (actions_.job(id).record.outcome != Outcome::waiting) {
        meter_.leaves(id);  // a job that waits until the end of the run is measured then
    }
    std::erase(hopeless_, id);
    known_[id] = {};  // remove() would keep the memory that it holds
    known_.remove(id);
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
    const PendingId pending{id.index};
    std::string why = why_stopped(job);
    if (why.empty()) {
        why = job.message;
    }
    if (why.empty() && queues_.waits(pending)) {
        why = queues_.why_parked(pending);  // an equal workload was looked at in its place
    }
    return (why.empty() ? "it waits behind others of its ClusterQueue" : why) + ".";
}

kueue::Workload KueueAdmission::workload_of(JobId id) {
    const Known& job = known(id);
    kueue::Workload workload = workloads_.make(
        actions_.job(id).job(), actions_.job(id).record.arrival, cache_, *job.queue);
    // Some of its pods may be done already.
    workload.pod_sets.front().count = job.first_size;
    workload.pod_sets.front().min_count = job.first_least;
    if (may_be_placed_here(id)) {
        workload.pod_sets.front().topology = topologies_->request_of(actions_.job(id).job());
    }
    workload.evicted = job.evicted;
    workload.preempted = job.preempted;
    workload.shares = job.shares;
    return workload;
}

void KueueAdmission::offer(JobId id) {
    Known& job = known(id);
    job.held_back = job.local != nullptr && job.local->stop != kueue::StopPolicy::none;
    if (job.held_back) {
        return;
    }
    queues_.add(PendingId{id.index}, workload_of(id));
    cycle_wanted_ = true;
}

/// Makes what a job held free for others, which are offered again a little later.
void KueueAdmission::release(JobId id, QuotaEnd why) {
    Known& job = known(id);
    record_hold(id, why);
    const kueue::Workload gone = cache_.remove_workload(*job.held);
    end_usage(id, gone);
    if (std::erase(starting_, id) > 0) {
        topologies_->flavors().cancel(gone);
    } else if (topologies_) {
        topologies_->flavors().let_go(gone);
    }
    holders_.erase(*job.held);
    job.held.reset();
    job.members = 0;
    job.leaving = job.being_written = false;
    cycle_wanted_ = true;
    retry_later(*job.queue);
}

void KueueAdmission::event_handled() {
    give_up_hopeless();
    start_placed();
    await_sample();
    if (cycle_wanted_ && !cycle_armed_ && queues_.has_heads()) {
        cycle_armed_ = true;
        actions_.wake(std::max(actions_.now(), rests_until_), Timer::first);
    }
}

/// Returns whether any job was admitted.
bool KueueAdmission::run_cycles() {
    if (cycles_at_ != actions_.now()) {
        cycles_at_ = actions_.now();
        preempted_then_.clear();
    }
    if (ledger_) {
        ledger_->go_to(actions_.now());
    }
    bool admitted = false;
    std::set<HeadsLeft> seen;
    while (queues_.has_heads() && rests_until_ <= actions_.now()) {
        if (run_cycle_of_refusals()) {
            seen.clear();
            continue;
        }
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

/// Runs the next cycle if that cycle only parks its heads. Returns whether it did.
bool KueueAdmission::run_cycle_of_refusals() {
    const std::vector<PendingId> parked = queues_.park_refused_again(cache_);
    cycles_ += parked.empty() ? 0 : 1;
    for (const PendingId pending : parked) {
        note_refusal(
            JobId{pending.index}, queues_.lack_when_parked(pending), queues_.why_parked(pending));
    }
    return !parked.empty();
}

KueueAdmission::CycleOutcome KueueAdmission::run_cycle() {
    const std::vector<PendingId> ids = queues_.pop_heads();
    std::vector<const kueue::Workload*> heads;
    std::map<const kueue::Workload*, JobId> jobs;
    for (const PendingId id : ids) {
        heads.push_back(&queues_.workload(id));
        jobs.emplace(heads.back(), JobId{id.index});
    }
    kueue::Cycle cycle(cache_, kueue_time(actions_.now()), ++cycles_, &memory_);
    CycleOutcome outcome;
    std::vector<Preemption> preemptions;
    for (const kueue::Entry& entry : cycle.run(heads)) {
        const JobId id = jobs.at(entry.workload);
        if (entry.is_admitted()) {
            admit(id, entry);
            outcome.admitted = true;
        } else {
            send_back(id, entry, outcome);
            if (entry.preempts()) {
                for (const kueue::Target& target : entry.nomination->targets) {
                    preemptions.push_back({target, id});
                }
            }
        }
    }
    for (const Preemption& preemption : preemptions) {
        outcome.preempted = preempt(preemption) || outcome.preempted;
    }
    start_placed();
    return outcome;
}

void KueueAdmission::admit(JobId id, const kueue::Entry& entry) {
    Known& job = known(id);
    const SimTime now = actions_.now();
    const kueue::Assignment& assignment = entry.nomination->assignment;
    job.members = static_cast<core::Members>(assignment.pod_sets.front().count);
    kueue::Workload asked = queues_.remove(PendingId{id.index});
    job.held = cache_.add_workload(workloads_.admit(asked, assignment, now));
    job.holding.admitted = job.holding.from = now;
    count_usage(id, asked);
    holders_.emplace(*job.held, id);
    job.evicted.reset();
    job.preempted.reset();
    job.message.clear();
    actions_.set_condition(
        id,
        Condition::Type::admitted,
        fmt::format("Quota reserved in ClusterQueue {}", cache_.queue(*job.queue).name));
    meter_.admitted(id, now);
    select_nodes(id);
    if (is_placed_here(id)) {
        topologies_->flavors().reserve(cache_.workload(*job.held));
        starting_.push_back(id);
    }
    if (settings_.write_time > SimTime(0)) {
        job.being_written = true;
        writes_until_ = after(std::max(writes_until_, now), settings_.write_time);
        remember({writes_until_, Task::Kind::written, id.index});
    } else {
        create_pods(id);
    }
}

void KueueAdmission::create_pods(JobId id) {
    known(id).being_written = false;
    await_places(id);
    if (!is_placed_here(id)) {
        places_.let_in(id);
    }
}

std::set<kueue::FlavorId> KueueAdmission::flavors_held(JobId id) {
    std::set<kueue::FlavorId> flavors;
    for (const kueue::PodSetResources& set : cache_.workload(*known(id).held).totals) {
        for (const auto& [resource, flavor] : set.flavors) {
            flavors.insert(flavor);
        }
    }
    return flavors;
}

/// Makes a job's pods run on servers with the labels of the flavors that it got, among those that
/// the pods' specs allow; a place by topology is chosen by the flavors alone.
void KueueAdmission::select_nodes(JobId id) {
    const auto own = NodeSelector::of_pods(actions_.job(id).job().nodes);
    actions_.select_nodes(id, nodes_.of(flavors_held(id), is_placed_here(id) ? nullptr : own));
}

AddedToPods KueueAdmission::adds_to(JobId id) {
    return known(id).held ? nodes_.added_by(flavors_held(id)) : AddedToPods();
}

void KueueAdmission::start_placed() {
    for (const JobId id : std::vector<JobId>(starting_)) {
        if (known(id).being_written) {
            continue;
        }
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
    note_refusal(id, kueue::lack_of(entry, cache_), entry.message);
}

void KueueAdmission::note_refusal(JobId id, kueue::Lack lack, const std::string& message) {
    Known& job = known(id);
    job.lack = lack;
    ++job.looks;
    if (job.message != message) {
        job.message = message;
        actions_.set_condition(id, Condition::Type::blocked, message);
    }
}

}  // namespace berth::sim

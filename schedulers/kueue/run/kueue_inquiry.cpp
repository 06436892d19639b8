#include "schedulers/kueue/run/kueue_inquiry.hpp"

#include <algorithm>
#include <utility>

#include "core/support/assert.hpp"

namespace berth::sim {

namespace kueue = core::kueue;

namespace {

bool has_places(const kueue::Workload& workload) {
    bool has = false;
    kueue::for_each_place(workload, [&](auto&&...) { has = true; });
    return has;
}

}  // namespace

KueueInquiry::KueueInquiry(KueueMoment moment)
    : moment_(std::move(moment)),
      workloads_(moment_.cluster.topology().resources(), moment_.objects.names),
      cache_(moment_.objects),
      nodes_(moment_.settings.cache.flavors, moment_.cluster.topology()),
      ids_(moment_.held.size()) {
    forget_charges();
    if (!moment_.settings.topologies.empty()) {
        places_.emplace(moment_.settings, moment_.cluster, cache_.names(), nodes_);
        cache_.set_topologies(&places_->flavors());
    }
    for (std::size_t i = 0; i < moment_.held.size(); ++i) {
        const KueueMoment::Holder& holder = moment_.held[i];
        ids_[i] = cache_.add_workload(holder.workload);
        if (has_places(holder.workload)) {
            holder.starting ? places_->flavors().reserve(holder.workload)
                            : places_->flavors().hold(holder.workload);
        }
    }
}

kueue::Workload KueueInquiry::workload_of(const Job& job) const {
    const kueue::Workload& now = asked();
    kueue::Workload workload = workloads_.make(job, 0, cache_, queue());
    workload.uid = now.uid;
    workload.created = now.created;
    workload.shares = now.shares;
    workload.evicted = now.evicted;
    workload.preempted = now.preempted;
    if (places_) {
        const bool placed = std::ranges::any_of(
            cache_.queue(queue()).groups, [&](const kueue::ResourceGroup& group) {
                return std::ranges::any_of(group.flavors, [&](auto f) { return has_topology(f); });
            });
        if (placed) {
            workload.pod_sets.front().topology = places_->request_of(job);
        }
    }
    return workload;
}

kueue::ResourceAmounts KueueInquiry::requests(const kueue::Workload& workload,
                                              std::int64_t pods) const {
    kueue::ResourceAmounts requests = workload.totals.front().scaled_to(pods).requests;
    const auto pods_resource = cache_.names().resources.find("pods");
    if (pods_resource && cache_.queue(queue()).group_of({*pods_resource}) != nullptr) {
        requests[{*pods_resource}] = pods;
    }
    return requests;
}

std::vector<const kueue::ResourceGroup*> KueueInquiry::groups() const {
    const kueue::ResourceAmounts asks = requests(asked(), asked().pod_sets.front().count);
    std::vector<const kueue::ResourceGroup*> found;
    for (const kueue::ResourceGroup& group : cache_.queue(queue()).groups) {
        if (std::ranges::any_of(group.resources, [&](auto r) { return asks.contains(r); })) {
            found.push_back(&group);
        }
    }
    return found;
}

const kueue::Quotas& KueueInquiry::quotas(kueue::QuotaNode node) const {
    static const kueue::Quotas none;
    if (node.index < cache_.queue_count()) {
        return cache_.queue(node).quotas;
    }
    const auto cohort =
        std::ranges::find(moment_.objects.cohorts, cache_.tree().name(node), &kueue::Cohort::name);
    return cohort == moment_.objects.cohorts.end() ? none : cohort->quotas;
}

bool KueueInquiry::has_topology(kueue::FlavorId flavor) const {
    return places_ && places_->flavors().has(flavor);
}

std::vector<kueue::LevelOfRoom> KueueInquiry::rooms(kueue::FlavorId flavor) const {
    return places_->flavors().rooms(flavor, asked().pod_sets.front());
}

void KueueInquiry::forget_charges() {
    if (moment_.local_queues != nullptr) {
        ledger_ = *moment_.local_queues;
        cache_.set_local_queues(&*ledger_);
    }
}

/// Workloads are ordered by the usage of their LocalQueues first, where that counts. Then a
/// BestEffortFIFO queue offers the workload for which others are preempted, and then the others by
/// priority and age.
bool KueueInquiry::goes_before(const KueueMoment::Waiter& a, const KueueMoment::Waiter& b) const {
    const kueue::WorkloadOrder order(cache_.configuration(), {}, cache_.local_queues());
    const double usage_a = order.local_queue_usage(a.workload).value_or(0);
    const double usage_b = order.local_queue_usage(b.workload).value_or(0);
    if (usage_a != usage_b) {
        return usage_a < usage_b;
    }
    const bool sticks = cache_.queue(queue()).strategy == kueue::QueueingStrategy::best_effort_fifo;
    if (sticks && a.preemptor != b.preemptor) {
        return a.preemptor;
    }
    return order.queues_before(a.workload, b.workload);
}

std::vector<const KueueMoment::Waiter*> KueueInquiry::before() const {
    std::vector<const KueueMoment::Waiter*> found;
    for (const KueueMoment::Waiter& other : moment_.others) {
        if (other.workload.queue == queue() && goes_before(other, moment_.asked)) {
            found.push_back(&other);
        }
    }
    std::ranges::sort(found, [&](const auto* a, const auto* b) { return goes_before(*a, *b); });
    return found;
}

Answer KueueInquiry::ask(const KueueWhatIf& change) {
    if (!change.policies && !change.resumed) {
        return ask_changed(change);
    }
    // What a cache cannot change is changed before a cache is made.
    KueueMoment other = moment_;
    kueue::ClusterQueue& own = other.objects.queues[queue().index];
    own.preemption = change.policies.value_or(own.preemption);
    own.stop = change.resumed ? kueue::StopPolicy::none : own.stop;
    return KueueInquiry(std::move(other)).ask_changed(change);
}

Answer KueueInquiry::ask_changed(const KueueWhatIf& change) {
    apply(change);
    Answer answer;
    {
        kueue::QueueManager queues(cache_);
        add_waiting(change, queues);
        answer = run_cycles(queues);
    }
    take_back(change);
    return answer;
}

void KueueInquiry::apply(const KueueWhatIf& change) {
    BERTH_ASSERT(admitted_.empty() && ended_.empty(), "one question at a time");
    for (const std::size_t holder : change.ended) {
        const kueue::Workload& gone =
            ended_.emplace(holder, cache_.remove_workload(ids_[holder])).first->second;
        if (has_places(gone)) {
            places_->flavors().cancel(gone);  // the ledger still has its pods
        }
        if (gone.shares) {
            ledger_->release(*gone.shares, by_resource(gone.usage()), moment_.at);
        }
    }
    for (const auto& [node, quotas] : change.quotas) {
        set_quotas(node, quotas);
    }
}

void KueueInquiry::take_back(const KueueWhatIf& change) {
    forget_charges();
    for (const kueue::WorkloadId id : std::exchange(admitted_, {})) {
        const kueue::Workload gone = cache_.remove_workload(id);
        if (has_places(gone)) {
            places_->flavors().cancel(gone);
        }
    }
    for (auto& [holder, workload] : std::exchange(ended_, {})) {
        if (has_places(workload)) {
            places_->flavors().reserve(workload);
        }
        ids_[holder] = cache_.add_workload(workload);
    }
    for (const auto& [node, quotas] : change.quotas) {
        set_quotas(node,
                   node.index < cache_.queue_count() ? moment_.objects.queues[node.index].quotas
                                                     : this->quotas(node));
    }
}

void KueueInquiry::set_quotas(kueue::QuotaNode node, const kueue::Quotas& quotas) {
    if (node.index < cache_.queue_count()) {
        cache_.set_quotas(node, quotas);
    } else {
        cache_.tree().set_quotas(node, quotas);
    }
}

/// Workloads behind it in its own queue are looked at only after it, and make no difference, unless
/// other workloads of its LocalQueue are charged before.
void KueueInquiry::add_waiting(const KueueWhatIf& change, kueue::QueueManager& queues) const {
    KueueMoment::Waiter own = moment_.asked;
    own.workload = change.workload.value_or(asked());
    own.workload.last.reset();
    const kueue::QuotaTree& tree = cache_.tree();
    for (std::size_t i = 0; i < moment_.others.size(); ++i) {
        const KueueMoment::Waiter& other = moment_.others[i];
        const kueue::QuotaNode queue_of_other = *other.workload.queue;
        const bool offered =
            !other.parked || (change.retries && tree.root(queue_of_other) == tree.root(queue()));
        const bool rival = queue_of_other != queue() ||
                           (!change.first && (own.workload.shares || goes_before(other, own)));
        if (offered && rival) {
            const kueue::PendingId id{static_cast<std::uint32_t>(i)};
            kueue::Workload workload = other.workload;
            workload.last.reset();
            queues.add(id, std::move(workload));
            if (other.preemptor) {
                queues.set_preemptor(id);
            }
        }
    }
    const kueue::PendingId id{static_cast<std::uint32_t>(moment_.others.size())};
    queues.add(id, std::move(own.workload));
    if (moment_.asked.preemptor) {
        queues.set_preemptor(id);
    }
}

Answer KueueInquiry::run_cycles(kueue::QueueManager& queues) {
    const kueue::PendingId own{static_cast<std::uint32_t>(moment_.others.size())};
    std::int64_t number = moment_.cycle;
    using HeadsLeft = std::vector<std::pair<std::uint32_t, kueue::TriedFlavors>>;
    std::set<HeadsLeft> seen;
    while (queues.has_heads() && !queues.is_parked(own)) {
        const std::vector<kueue::PendingId> ids = queues.pop_heads();
        std::vector<const kueue::Workload*> heads;
        std::map<const kueue::Workload*, kueue::PendingId> numbers;
        for (const kueue::PendingId id : ids) {
            heads.push_back(&queues.workload(id));
            numbers.emplace(heads.back(), id);
        }
        bool moved = false;
        HeadsLeft left;
        kueue::Cycle cycle(cache_, kueue_time(moment_.at), number++);
        for (const kueue::Entry& entry : cycle.run(heads)) {
            const kueue::PendingId id = numbers.at(entry.workload);
            if (id == own && (entry.is_admitted() || entry.preempts())) {
                return answer(entry);
            }
            if (entry.is_admitted()) {
                admit(queues.remove(id), entry);
                moved = true;
                continue;
            }
            queues.requeue(id, entry);
            if (queues.is_parked(id)) {
                moved = true;
            } else {
                left.emplace_back(id.index, entry.last ? entry.last->tried : kueue::TriedFlavors{});
            }
        }
        if (moved) {
            seen.clear();
        } else if (!seen.insert(std::move(left)).second) {
            break;  // the heads go round in circles
        }
    }
    return {};
}

Answer KueueInquiry::answer(const kueue::Entry& entry) const {
    Answer answer;
    if (entry.is_admitted()) {
        answer.outcome = Answer::Outcome::admitted;
        return answer;
    }
    answer.outcome = Answer::Outcome::preempts;
    for (const kueue::Target& target : entry.nomination->targets) {
        answer.preempted.push_back(cache_.workload(target.workload).name);
    }
    return answer;
}

void KueueInquiry::admit(kueue::Workload workload, const kueue::Entry& entry) {
    const std::optional<kueue::LocalQueueId> shares = workload.shares;
    const kueue::ResourceAmounts requests = entry_requests(workload, cache_);
    const kueue::WorkloadId id = cache_.add_workload(
        workloads_.admit(std::move(workload), entry.nomination->assignment, moment_.at));
    admitted_.push_back(id);
    if (shares) {
        ledger_->admit(*shares, by_resource(cache_.usage(id)), requests, moment_.at);
    }
    if (has_places(cache_.workload(id))) {
        places_->flavors().reserve(cache_.workload(id));
    }
}

}  // namespace berth::sim

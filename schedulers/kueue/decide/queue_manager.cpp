#include "schedulers/kueue/decide/queue_manager.hpp"

#include <fmt/format.h>
#include <iterator>

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/support/assert.hpp"

namespace berth::core::kueue {
namespace {

std::string question_of(const TopologyRequest& request) {
    std::string text = request.unconstrained ? "anywhere" : "";
    if (request.required) {
        text += fmt::format(";required={}", *request.required);
    }
    if (request.preferred) {
        text += fmt::format(";preferred={}", *request.preferred);
    }
    for (const SliceLayer& layer : request.layers) {
        text += fmt::format(";{}.{}", layer.topology, layer.size);
    }
    return text;
}

/// Everything that decides where a workload fits, as a text: equal texts are equal questions.
/// Source: Kueue, computeSchedulingHash.
std::string question_of(const Workload& workload) {
    std::string text = fmt::format("{}", workload.priority);
    for (std::size_t i = 0; i < workload.pod_sets.size(); ++i) {
        const PodSet& set = workload.pod_sets[i];
        const PodSetResources& total = workload.totals[i];
        text += fmt::format("|{};{};{};{}", set.name, total.count, set.min_count, set.group);
        for (const auto& [resource, amount] : total.requests) {
            text += fmt::format(";{}={}", resource.index, amount);
        }
        for (const auto& [key, value] : set.node_selector) {
            text += fmt::format(";{}={}", key, value);
        }
        for (const Toleration& toleration : set.tolerations) {
            text += fmt::format(";{}.{}.{}.{}",
                                toleration.key,
                                static_cast<int>(toleration.op),
                                toleration.value,
                                toleration.effect);
        }
        for (const NodeSelectorTerm& term : set.affinity) {
            text += "/";
            for (const auto* conditions : {&term.expressions, &term.fields}) {
                for (const LabelExpression& one : *conditions) {
                    text += fmt::format(";{}.{}", one.key, static_cast<int>(one.op));
                    for (const std::string& value : one.values) {
                        text += fmt::format(",{}", value);
                    }
                }
            }
        }
        if (set.topology) {
            text += "/" + question_of(*set.topology);
        }
    }
    return text;
}

}  // namespace

bool QueueManager::Before::operator()(const Waiting* a, const Waiting* b) const {
    if (a->workload.priority != b->workload.priority) {
        return a->workload.priority > b->workload.priority;
    }
    return std::tie(a->since, a->workload.uid, a->id) < std::tie(b->since, b->workload.uid, b->id);
}

const QueueManager::Waiting& QueueManager::at(PendingId id) const {
    const auto found = waiting_.find(id);
    BERTH_ASSERT(found != waiting_.end(), "the workload waits");
    return found->second;
}

QueueManager::Waiting& QueueManager::at(PendingId id) {
    const auto found = waiting_.find(id);
    BERTH_ASSERT(found != waiting_.end(), "the workload waits");
    return found->second;
}

QueueManager::QueueManager(const Cache& cache)
    : cache_(cache),
      order_(cache.configuration(), Time{}, cache.local_queues()),
      rank_(cache.queue_count()) {
    for (std::uint32_t i = 0; i < cache.queue_count(); ++i) {
        const QuotaNode queue{i};
        queues_.push_back(std::make_unique<Queue>());
        by_rank_.push_back(queue);
    }
    find_trees();
    std::ranges::sort(by_rank_, {}, [&](QuotaNode queue) { return cache.tree().name(queue); });
    for (std::uint32_t rank = 0; rank < by_rank_.size(); ++rank) {
        rank_[by_rank_[rank].index] = rank;
    }
}

void QueueManager::find_trees() {
    below_root_.clear();
    for (std::uint32_t i = 0; i < cache_.queue_count(); ++i) {
        below_root_[cache_.tree().root(QuotaNode{i})].push_back(QuotaNode{i});
    }
}

/// A workload that is not parked with others has a class of its own.
std::string QueueManager::class_of(PendingId id, const Workload& workload) const {
    const bool together =
        cache_.gate(FeatureGate::scheduling_equivalence_hashing) &&
        cache_.queue(*workload.queue).strategy == QueueingStrategy::best_effort_fifo;
    return together ? question_of(workload) : fmt::format("#{}", id.index);
}

QueueManager::Classes::iterator QueueManager::join_class(PendingId id, const Workload& workload) {
    Queue& queue = *queues_[workload.queue->index];
    return queue.classes.try_emplace(class_of(id, workload)).first;
}

void QueueManager::drop_if_empty(Queue& queue, Classes::iterator left) {
    if (left->second.members.empty() && !left->second.parked) {
        queue.classes.erase(left);
    }
}

void QueueManager::add(PendingId id, Workload workload) {
    BERTH_ASSERT(workload.queue, "who waits is in a queue that there is");
    const auto its_class = join_class(id, workload);
    const Time since = order_.queued_since(workload);
    workload.offer = ++offers_;
    const auto [waiting, fresh] =
        waiting_.try_emplace(id, Waiting{id, std::move(workload), its_class, since});
    BERTH_ASSERT(fresh, "a number is one workload's");
    insert(waiting->second);
}

Workload QueueManager::remove(PendingId id) {
    const auto found = waiting_.find(id);
    BERTH_ASSERT(found != waiting_.end(), "only who waits is removed");
    Queue& queue = queue_of(found->second);
    if (!found->second.offered) {
        erase(found->second);
    }
    drop_if_empty(queue, found->second.its_class);
    if (queue.preemptor == id) {
        queue.preemptor.reset();
    }
    Workload workload = std::move(found->second.workload);
    waiting_.erase(found);
    return workload;
}

void QueueManager::hide_first(Queue& queue, std::uint32_t group, const Members& members) {
    const auto first = queue.first.find(group);
    first->second.erase(*members.begin());
    if (first->second.empty()) {
        queue.first.erase(first);
    }
}

void QueueManager::show_first(Queue& queue, std::uint32_t group, const Members& members) {
    queue.first.try_emplace(group).first->second.insert(*members.begin());
}

void QueueManager::insert(const Waiting& waiting) {
    Queue& queue = queue_of(waiting);
    Class& its_class = waiting.its_class->second;
    const std::uint32_t group = group_of(waiting.workload);
    const auto [members, fresh] = its_class.members.try_emplace(group);
    if (!its_class.parked && !fresh) {
        hide_first(queue, group, members->second);
    }
    members->second.insert(&waiting);
    if (!its_class.parked) {
        show_first(queue, group, members->second);
    }
    note_offers(*waiting.workload.queue);
}

void QueueManager::erase(const Waiting& waiting) {
    Queue& queue = queue_of(waiting);
    Class& its_class = waiting.its_class->second;
    const std::uint32_t group = group_of(waiting.workload);
    const auto members = its_class.members.find(group);
    if (!its_class.parked) {
        hide_first(queue, group, members->second);
    }
    members->second.erase(&waiting);
    if (members->second.empty()) {
        its_class.members.erase(members);
    } else if (!its_class.parked) {
        show_first(queue, group, members->second);
    }
    note_offers(*waiting.workload.queue);
}

void QueueManager::note_offers(QuotaNode queue) {
    if (queues_[queue.index]->first.empty() || !cache_.is_active(queue)) {
        offering_.erase(rank_[queue.index]);
    } else {
        offering_.insert(rank_[queue.index]);
    }
}

std::optional<PendingId> QueueManager::sticky(const Queue& queue) const {
    if (!queue.preemptor || !waits(*queue.preemptor)) {
        return std::nullopt;
    }
    const Waiting& waiting = at(*queue.preemptor);
    const bool sticks =
        cache_.queue(*waiting.workload.queue).strategy == QueueingStrategy::best_effort_fifo;
    return sticks && !waiting.its_class->second.parked ? queue.preemptor : std::nullopt;
}

/// Usage takes precedence over everything else that a workload is preferred for.
PendingId QueueManager::first_of(const Queue& queue) const {
    const std::optional<PendingId> sticks = sticky(queue);
    const Waiting* first = nullptr;
    for (const auto& [group, members] : queue.first) {
        const bool holds_it = sticks && group_of(workload(*sticks)) == group;
        const Waiting* next = holds_it ? &at(*sticks) : *members.begin();
        if (first == nullptr) {
            first = next;
            continue;
        }
        const auto usage = order_.local_queue_usage(next->workload).value_or(0);
        const auto least = order_.local_queue_usage(first->workload).value_or(0);
        const bool goes_first = next->id == sticks || Before{}(next, first);
        if (usage < least || (usage == least && first->id != sticks && goes_first)) {
            first = next;
        }
    }
    return first->id;
}

bool QueueManager::has_rivals() const {
    return std::ranges::any_of(offering_, [&](std::uint32_t rank) {
        return queues_[by_rank_[rank].index]->first.size() > 1;
    });
}

std::optional<PendingId> QueueManager::next_of(QuotaNode queue) const {
    return offering_.contains(rank_[queue.index]) ? std::optional(first_of(*queues_[queue.index]))
                                                  : std::nullopt;
}

std::vector<PendingId> QueueManager::heads() const {
    std::vector<PendingId> heads;
    for (const std::uint32_t rank : offering_) {
        heads.push_back(first_of(*queues_[by_rank_[rank].index]));
    }
    return heads;
}

std::vector<PendingId> QueueManager::pop_heads() {
    std::vector<PendingId> heads = this->heads();
    for (const PendingId head : heads) {
        Waiting& waiting = at(head);
        waiting.workload.is_preemptor = queue_of(waiting).preemptor == head;
        erase(waiting);
        waiting.offered = true;
    }
    return heads;
}

bool QueueManager::is_refused_again(PendingId head, Cache& cache) {
    const Waiting& waiting = at(head);
    std::optional<Refusal>& refusal = waiting.its_class->second.refusal;
    return refusal && refusal->holds(cache, order_, waiting.workload, hopeless_);
}

std::vector<PendingId> QueueManager::park_refused_again(Cache& cache) {
    std::vector<PendingId> heads = this->heads();
    if (!std::ranges::all_of(heads,
                             [&](PendingId head) { return is_refused_again(head, cache); })) {
        return {};
    }
    for (const PendingId head : heads) {
        const Waiting& waiting = at(head);
        Class& its_class = waiting.its_class->second;
        its_class.why = its_class.refusal->message(cache_.names());
        ++its_class.times_parked;
        set_parked(queue_of(waiting), waiting.its_class);
        note_offers(*waiting.workload.queue);
    }
    return heads;
}

void QueueManager::requeue(PendingId id, const Entry& entry) {
    Waiting& waiting = at(id);
    BERTH_ASSERT(waiting.offered, "who is requeued was offered");
    Queue& queue = queue_of(waiting);
    const bool again = is_offered_again(entry, cache_);
    waiting.offered = false;
    if (entry.requeue == RequeueReason::pending_preemption) {
        queue.preemptor = id;
    }
    if (!again) {
        park(queue, waiting.its_class, entry);
    }
    waiting.workload.last = entry.last;
    insert(waiting);
}

void QueueManager::park(Queue& queue, Classes::iterator parked, const Entry& entry) {
    parked->second.why = entry.message;
    parked->second.lack = lack_of(entry, cache_);
    ++parked->second.times_parked;
    Refusal::renew(parked->second.refusal, entry, cache_);
    set_parked(queue, parked);
}

void QueueManager::park_like(Queue& queue, Classes::iterator parked, const Class& other) {
    parked->second.why = other.why;
    parked->second.lack = other.lack;
    parked->second.times_parked = other.times_parked;
    set_parked(queue, parked);
}

void QueueManager::set_parked(Queue& queue, Classes::iterator parked) {
    if (!parked->second.parked) {
        for (const auto& [group, members] : parked->second.members) {
            hide_first(queue, group, members);
        }
        parked->second.parked = true;
        queue.parked.push_back(parked);
    }
}

bool QueueManager::is_parked(PendingId id) const {
    return at(id).its_class->second.parked;
}

const std::string& QueueManager::why_parked(PendingId id) const {
    return at(id).its_class->second.why;
}

void QueueManager::objects_changed() {
    find_trees();
    for (const std::unique_ptr<Queue>& queue : queues_) {
        for (auto& [question, its_class] : queue->classes) {
            its_class.refusal.reset();
        }
    }
    for (auto& [id, waiting] : waiting_) {
        BERTH_ASSERT(!waiting.offered, "objects do not change in a cycle");
        const auto before = waiting.its_class;
        if (class_of(id, waiting.workload) == before->first) {
            continue;
        }
        Queue& queue = queue_of(waiting);
        erase(waiting);
        waiting.its_class = join_class(id, waiting.workload);
        if (before->second.parked) {
            park_like(queue, waiting.its_class, before->second);
        }
        insert(waiting);
        drop_if_empty(queue, before);
    }
    for (std::uint32_t i = 0; i < cache_.queue_count(); ++i) {
        note_offers(QuotaNode{i});
    }
}

Lack QueueManager::lack_when_parked(PendingId id) const {
    return at(id).its_class->second.lack;
}

std::uint64_t QueueManager::times_parked(PendingId id) const {
    return at(id).its_class->second.times_parked;
}

std::size_t QueueManager::size_of_class(PendingId id) const {
    std::size_t size = 0;
    for (const auto& [group, members] : at(id).its_class->second.members) {
        size += members.size();
    }
    return size;
}

std::vector<PendingId> QueueManager::waiting() const {
    std::vector<PendingId> ids;
    ids.reserve(waiting_.size());
    for (const auto& [id, waiting] : waiting_) {
        ids.push_back(id);
    }
    return ids;
}

void QueueManager::set_preemptor(PendingId id) {
    queue_of(waiting_.at(id)).preemptor = id;
}

void QueueManager::retry(QuotaNode root) {
    const auto tree = below_root_.find(root);
    if (tree == below_root_.end()) {
        return;
    }
    for (const QuotaNode node : tree->second) {
        Queue& queue = *queues_[node.index];
        for (const Classes::iterator its_class : std::exchange(queue.parked, {})) {
            its_class->second.parked = false;
            if (its_class->second.members.empty()) {
                queue.classes.erase(its_class);
                continue;
            }
            for (const auto& [group, members] : its_class->second.members) {
                show_first(queue, group, members);
            }
        }
        note_offers(node);
    }
}

}  // namespace berth::core::kueue

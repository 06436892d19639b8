#include "core/kueue/queue_manager.hpp"

#include <fmt/format.h>
#include <iterator>

#include <algorithm>
#include <utility>

#include "core/support/assert.hpp"

namespace berth::core::kueue {
namespace {

/// What decides where a workload fits, as text: equal texts are equal questions.
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
    }
    return text;
}

}  // namespace

bool QueueManager::Before::operator()(PendingId a, PendingId b) const {
    const Workload& left = all->workload(a);
    const Workload& right = all->workload(b);
    return all->order_.queues_before(left, right) ||
           (a < b && !all->order_.queues_before(right, left));
}

QueueManager::QueueManager(const Cache& cache)
    : cache_(cache), order_(cache.configuration(), Time{}), rank_(cache.queue_count()) {
    for (std::uint32_t i = 0; i < cache.queue_count(); ++i) {
        const QuotaNode queue{i};
        queues_.push_back(std::make_unique<Queue>(Before{this}));
        below_root_[cache.tree().root(queue)].push_back(queue);
        by_rank_.push_back(queue);
    }
    std::ranges::sort(by_rank_, {}, [&](QuotaNode queue) { return cache.tree().name(queue); });
    for (std::uint32_t rank = 0; rank < by_rank_.size(); ++rank) {
        rank_[by_rank_[rank].index] = rank;
    }
}

/// Who is not parked with others has a class of its own.
std::string QueueManager::class_of(PendingId id, const Workload& workload) const {
    const bool together =
        cache_.gate(FeatureGate::scheduling_equivalence_hashing) &&
        cache_.queue(*workload.queue).strategy == QueueingStrategy::best_effort_fifo;
    return together ? question_of(workload) : fmt::format("#{}", id.index);
}

void QueueManager::add(PendingId id, Workload workload) {
    BERTH_ASSERT(workload.queue, "who waits is in a queue that there is");
    Queue& queue = *queues_[workload.queue->index];
    const auto its_class = queue.classes.try_emplace(class_of(id, workload), Before{this}).first;
    const bool fresh = waiting_.try_emplace(id, Waiting{std::move(workload), its_class}).second;
    BERTH_ASSERT(fresh, "a number is one workload's");
    insert(id);
}

Workload QueueManager::remove(PendingId id) {
    const auto found = waiting_.find(id);
    BERTH_ASSERT(found != waiting_.end(), "only who waits is removed");
    Queue& queue = queue_of(found->second);
    if (!found->second.offered) {
        erase(id);
    }
    const auto its_class = found->second.its_class;
    if (its_class->second.members.empty() && !its_class->second.parked) {
        queue.classes.erase(its_class);
    }
    if (queue.preemptor == id) {
        queue.preemptor.reset();
    }
    Workload workload = std::move(found->second.workload);
    waiting_.erase(found);
    return workload;
}

void QueueManager::hide_first(Queue& queue, const Class& changing) {
    if (!changing.parked && !changing.members.empty()) {
        queue.first.erase(*changing.members.begin());
    }
}

void QueueManager::show_first(Queue& queue, Class& changed) {
    if (!changed.parked && !changed.members.empty()) {
        queue.first.insert(*changed.members.begin());
    }
}

void QueueManager::insert(PendingId id) {
    Waiting& waiting = waiting_.at(id);
    Queue& queue = queue_of(waiting);
    Class& its_class = waiting.its_class->second;
    hide_first(queue, its_class);
    its_class.members.insert(id);
    show_first(queue, its_class);
    note_offers(*waiting.workload.queue);
}

void QueueManager::erase(PendingId id) {
    Waiting& waiting = waiting_.at(id);
    Queue& queue = queue_of(waiting);
    Class& its_class = waiting.its_class->second;
    hide_first(queue, its_class);
    its_class.members.erase(id);
    show_first(queue, its_class);
    note_offers(*waiting.workload.queue);
}

void QueueManager::note_offers(QuotaNode queue) {
    if (queues_[queue.index]->first.empty() || !cache_.is_active(queue)) {
        offering_.erase(rank_[queue.index]);
    } else {
        offering_.insert(rank_[queue.index]);
    }
}

PendingId QueueManager::first_of(const Queue& queue) const {
    if (queue.preemptor && waits(*queue.preemptor)) {
        const Waiting& waiting = waiting_.at(*queue.preemptor);
        const bool sticks =
            cache_.queue(*waiting.workload.queue).strategy == QueueingStrategy::best_effort_fifo;
        if (sticks && !waiting.its_class->second.parked) {
            return *queue.preemptor;
        }
    }
    return *queue.first.begin();
}

std::optional<PendingId> QueueManager::next_of(QuotaNode queue) const {
    return offering_.contains(rank_[queue.index]) ? std::optional(first_of(*queues_[queue.index]))
                                                  : std::nullopt;
}

std::vector<PendingId> QueueManager::pop_heads() {
    std::vector<PendingId> heads;
    for (const std::uint32_t rank : offering_) {
        heads.push_back(first_of(*queues_[by_rank_[rank].index]));
    }
    for (const PendingId head : heads) {
        Waiting& waiting = waiting_.at(head);
        waiting.workload.is_preemptor = queue_of(waiting).preemptor == head;
        erase(head);
        waiting.offered = true;
    }
    return heads;
}

void QueueManager::requeue(PendingId id, const Entry& entry) {
    Waiting& waiting = waiting_.at(id);
    BERTH_ASSERT(waiting.offered, "who is requeued was offered");
    Queue& queue = queue_of(waiting);
    const bool again = is_offered_again(entry, cache_);
    waiting.offered = false;
    waiting.workload.last = entry.last;
    if (entry.requeue == RequeueReason::pending_preemption) {
        queue.preemptor = id;
    }
    if (!again) {
        park(queue, waiting.its_class, entry);
    }
    insert(id);
}

void QueueManager::park(Queue& queue, Classes::iterator parked, const Entry& entry) {
    parked->second.why = entry.message;
    parked->second.lack = lack_of(entry, cache_);
    ++parked->second.times_parked;
    if (!parked->second.parked) {
        hide_first(queue, parked->second);
        parked->second.parked = true;
        queue.parked.push_back(parked);
    }
}

bool QueueManager::is_parked(PendingId id) const {
    return waiting_.at(id).its_class->second.parked;
}

const std::string& QueueManager::why_parked(PendingId id) const {
    return waiting_.at(id).its_class->second.why;
}

Lack QueueManager::lack_when_parked(PendingId id) const {
    return waiting_.at(id).its_class->second.lack;
}

std::uint64_t QueueManager::times_parked(PendingId id) const {
    return waiting_.at(id).its_class->second.times_parked;
}

std::size_t QueueManager::size_of_class(PendingId id) const {
    return waiting_.at(id).its_class->second.members.size();
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
            } else {
                show_first(queue, its_class->second);
            }
        }
        note_offers(node);
    }
}

}  // namespace berth::core::kueue

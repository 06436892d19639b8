#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "schedulers/kueue/decide/refusal.hpp"

namespace berth::core::kueue {

/// A workload that waits for quota, by the number that whoever adds it has given it.
using PendingId = Id<struct PendingTag>;

/// Workloads that wait for quota, from one scheduling cycle to the next: which of them are offered,
/// in which order, and which are parked until something happens that might let them in.
///
/// Those of a BestEffortFIFO queue that ask for the same are one class: if one of them does not
/// fit, all are parked together, and return together.
///
/// Order:  within a queue by the usage of LocalQueues, where it counts, then the one that others
///         are preempted for, then by priority, age and uid.
/// Cost:   O(log waiting) to add, requeue or remove one, and to pop one as much for each LocalQueue
///         whose usage counts; to park or retry, O(log) for each class, however many workloads are
///         of it.
/// Source: Kueue, pkg/cache/queue/cluster_queue.go, manager.go, inadmissible_workloads.go.
class QueueManager {
public:
    /// The cache outlives it.
    explicit QueueManager(const Cache& cache);

    /// A workload whose queue is one of the cache's comes to wait, or comes back.
    void add(PendingId id, Workload workload);
    /// It waits no longer, whether it was offered just now or not. Returns it.
    Workload remove(PendingId id);
    [[nodiscard]] const Workload& workload(PendingId id) const { return at(id).workload; }
    [[nodiscard]] bool waits(PendingId id) const { return waiting_.contains(id); }
    [[nodiscard]] std::size_t size() const { return waiting_.size(); }

    /// Whether an active queue has somebody to offer.
    [[nodiscard]] bool has_heads() const { return !offering_.empty(); }
    /// Whether those who are offered in a queue are of several LocalQueues whose usage counts.
    [[nodiscard]] bool has_rivals() const;
    /// Takes the first workload of each active queue, by the queues' names. Each of them is then
    /// removed, or requeued.
    [[nodiscard]] std::vector<PendingId> pop_heads();
    /// Parks all heads, if each of them would be refused for the same as when one like it was
    /// parked last. Returns them; nobody, if any of them is to be nominated. `cache`: the one that
    /// it was made with, which is then as before.
    [[nodiscard]] std::vector<PendingId> park_refused_again(Cache& cache);
    /// A head was not admitted: it is offered again, or parked.
    void requeue(PendingId id, const Entry& entry);
    /// Whether it waits until retry().
    [[nodiscard]] bool is_parked(PendingId id) const;
    /// What a cycle said of a workload that asks for the same when it was parked last; or nothing.
    [[nodiscard]] const std::string& why_parked(PendingId id) const;
    /// What that workload lacked, and how often such workloads were parked so far.
    [[nodiscard]] Lack lack_when_parked(PendingId id) const;
    [[nodiscard]] std::uint64_t times_parked(PendingId id) const;
    /// How many wait that ask for the same, with itself.
    [[nodiscard]] std::size_t size_of_class(PendingId id) const;
    /// All that wait, by their numbers.
    [[nodiscard]] std::vector<PendingId> waiting() const;
    /// The one of a queue for which others are, or were, preempted; as long as it waits it is
    /// offered first in a BestEffortFIFO queue.
    [[nodiscard]] std::optional<PendingId> preemptor(QuotaNode queue) const {
        return queues_[queue.index]->preemptor;
    }
    void set_preemptor(PendingId id);
    /// Whom an active queue offers next, if anybody.
    [[nodiscard]] std::optional<PendingId> next_of(QuotaNode queue) const;
    /// Something happened by which those who are parked might be admitted, in any queue below this
    /// root of a tree; or in this queue, without a cohort.
    void retry(QuotaNode root);
    /// The cache's objects were replaced: trees have other queues, or queues other strategies.
    void objects_changed();

private:
    struct Waiting;
    /// The first is offered before the second.
    struct Before {
        bool operator()(const Waiting* a, const Waiting* b) const;
    };
    using Members = std::set<const Waiting*, Before>;
    /// Those of one LocalQueue whose usage counts by its number from 1 on, all others by 0.
    using Groups = std::map<std::uint32_t, Members>;
    /// Workloads that are parked together.
    struct Class {
        Groups members;  ///< No group is empty.
        bool parked = false;
        std::string why;  ///< What was said of the workload for which it was parked last.
        Lack lack = Lack::none;
        std::uint64_t times_parked = 0;
        std::optional<Refusal> refusal;  ///< For which it was parked last.
    };
    using Classes = std::map<std::string, Class>;
    struct Queue {
        Classes classes;
        std::vector<Classes::iterator> parked;
        Groups first;  ///< Of each group of each class that is not parked.
        std::optional<PendingId> preemptor;
    };
    struct Waiting {
        PendingId id;
        Workload workload;
        Classes::iterator its_class;
        Time since;            ///< See queued_since().
        bool offered = false;  ///< Popped, and neither requeued nor removed yet.
    };

    struct Hash {
        std::size_t operator()(PendingId id) const { return id.index; }
    };

    [[nodiscard]] const Waiting& at(PendingId id) const;
    [[nodiscard]] Waiting& at(PendingId id);
    [[nodiscard]] Queue& queue_of(const Waiting& waiting) {
        return *queues_[waiting.workload.queue->index];
    }
    [[nodiscard]] std::string class_of(PendingId id, const Workload& workload) const;
    void insert(const Waiting& waiting);
    void erase(const Waiting& waiting);
    [[nodiscard]] static std::uint32_t group_of(const Workload& workload) {
        return workload.shares ? workload.shares->index + 1 : 0;
    }
    void show_first(Queue& queue, std::uint32_t group, const Members& members);
    void hide_first(Queue& queue, std::uint32_t group, const Members& members);
    void note_offers(QuotaNode queue);
    void find_trees();
    /// The class of a workload that joins it.
    [[nodiscard]] Classes::iterator join_class(PendingId id, const Workload& workload);
    /// Its class, which it left, is no longer if nobody is in it and it is not parked.
    void drop_if_empty(Queue& queue, Classes::iterator left);
    void park(Queue& queue, Classes::iterator parked, const Entry& entry);
    [[nodiscard]] std::vector<PendingId> heads() const;
    [[nodiscard]] bool is_refused_again(PendingId head, Cache& cache);
    /// As another class, which its workloads leave.
    void park_like(Queue& queue, Classes::iterator parked, const Class& other);
    void set_parked(Queue& queue, Classes::iterator parked);
    [[nodiscard]] PendingId first_of(const Queue& queue) const;
    /// Who goes before all others of its LocalQueue until it leaves, if anybody.
    [[nodiscard]] std::optional<PendingId> sticky(const Queue& queue) const;

    const Cache& cache_;
    WorkloadOrder order_;
    std::unordered_map<PendingId, Waiting, Hash> waiting_;
    HopelessRequests hopeless_;
    std::uint64_t offers_ = 0;                    ///< How many workloads came to wait so far.
    std::vector<std::unique_ptr<Queue>> queues_;  ///< By QuotaNode.
    std::map<QuotaNode, std::vector<QuotaNode>> below_root_;  ///< Queues, of those with workloads.
    std::vector<std::uint32_t> rank_;                         ///< Of queues, by name.
    std::vector<QuotaNode> by_rank_;
    std::set<std::uint32_t> offering_;  ///< Ranks of active queues with somebody to offer.
};

}  // namespace berth::core::kueue

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

/// A workload that waits for quota, by the number that the caller gave it.
using PendingId = Id<struct PendingTag>;

/// Workloads that wait for quota, from one scheduling cycle to the next: which of them are offered
/// and in which order, and which are parked until something happens that might let them in.
///
/// Workloads of a BestEffortFIFO queue that ask for the same form one class: if one of them does
/// not fit, all are parked together, and return together.
///
/// Order:  within a queue by the usage of LocalQueues, if it counts, then first the workload that
///         others are preempted for, then by priority, age and uid.
/// Cost:   O(log waiting) to add, requeue or remove a workload, and to pop one as much for each
///         LocalQueue whose usage counts; to park or retry, O(log) for each class, however many
///         workloads it has.
/// Source: Kueue, pkg/cache/queue/cluster_queue.go, manager.go, inadmissible_workloads.go.
class QueueManager {
public:
    /// `cache` outlives this object.
    explicit QueueManager(const Cache& cache);

    /// Adds a workload that begins to wait or waits again. Its queue is one of the cache's.
    void add(PendingId id, Workload workload);
    /// Removes a workload that no longer waits, whether it was just offered or not. Returns it.
    Workload remove(PendingId id);
    [[nodiscard]] const Workload& workload(PendingId id) const { return at(id).workload; }
    [[nodiscard]] bool waits(PendingId id) const { return waiting_.contains(id); }
    [[nodiscard]] std::size_t size() const { return waiting_.size(); }

    /// Whether an active queue has a workload to offer.
    [[nodiscard]] bool has_heads() const { return !offering_.empty(); }
    /// Whether a queue offers workloads of several LocalQueues whose usage counts.
    [[nodiscard]] bool has_rivals() const;
    /// Takes the first workload of each active queue, in the order of the queues' names. Each of
    /// them must then be removed or requeued.
    [[nodiscard]] std::vector<PendingId> pop_heads();
    /// Parks all heads if each of them would be refused for the same reason as the last time that
    /// one like it was parked. Returns them; returns none if any of them is to be nominated.
    /// `cache` is the one that this object was made with; it is left as it was.
    [[nodiscard]] std::vector<PendingId> park_refused_again(Cache& cache);
    /// Takes back a head that was not admitted: it is offered again, or parked.
    void requeue(PendingId id, const Entry& entry);
    /// Whether a workload waits until retry().
    [[nodiscard]] bool is_parked(PendingId id) const;
    /// What a cycle said when a workload that asks for the same was parked last; or nothing.
    [[nodiscard]] const std::string& why_parked(PendingId id) const;
    /// What that workload lacked, and how often such workloads were parked so far.
    [[nodiscard]] Lack lack_when_parked(PendingId id) const;
    [[nodiscard]] std::uint64_t times_parked(PendingId id) const;
    /// How many workloads that ask for the same wait, including this one.
    [[nodiscard]] std::size_t size_of_class(PendingId id) const;
    /// The numbers of all workloads that wait.
    [[nodiscard]] std::vector<PendingId> waiting() const;
    /// The workload of a queue that others are, or were, preempted for. As long as it waits, a
    /// BestEffortFIFO queue offers it first.
    [[nodiscard]] std::optional<PendingId> preemptor(QuotaNode queue) const {
        return queues_[queue.index]->preemptor;
    }
    void set_preemptor(PendingId id);
    /// The workload that an active queue offers next, if any.
    [[nodiscard]] std::optional<PendingId> next_of(QuotaNode queue) const;
    /// Offers parked workloads again, after something happened that might let them in: those of all
    /// queues below this root of a tree, or of this queue if it has no cohort.
    void retry(QuotaNode root);
    /// To be called after the cache's objects were replaced: trees may have other queues, and
    /// queues other strategies.
    void objects_changed();

private:
    struct Waiting;
    /// Whether the first is offered before the second.
    struct Before {
        bool operator()(const Waiting* a, const Waiting* b) const;
    };
    using Members = std::set<const Waiting*, Before>;
    /// Workloads of a LocalQueue whose usage counts stand under its number, from 1 on; all others
    /// under 0.
    using Groups = std::map<std::uint32_t, Members>;
    /// Workloads that are parked together.
    struct Class {
        Groups members;  ///< No group is empty.
        bool parked = false;
        std::string why;  ///< The message about the workload for which the class was parked last.
        Lack lack = Lack::none;
        std::uint64_t times_parked = 0;
        std::optional<Refusal> refusal;  ///< The refusal for which it was parked last.
    };
    using Classes = std::map<std::string, Class>;
    struct Queue {
        Classes classes;
        std::vector<Classes::iterator> parked;
        Groups first;  ///< The first workload of each group of each class that is not parked.
        std::optional<PendingId> preemptor;
    };
    struct Waiting {
        PendingId id;
        Workload workload;
        Classes::iterator its_class;
        Time since;            ///< See queued_since().
        bool offered = false;  ///< It was popped, and is neither requeued nor removed yet.
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
    /// The class that a workload joins.
    [[nodiscard]] Classes::iterator join_class(PendingId id, const Workload& workload);
    /// Drops the class that a workload left, if it has no members and is not parked.
    void drop_if_empty(Queue& queue, Classes::iterator left);
    void park(Queue& queue, Classes::iterator parked, const Entry& entry);
    [[nodiscard]] std::vector<PendingId> heads() const;
    [[nodiscard]] bool is_refused_again(PendingId head, Cache& cache);
    /// Parks a class in the same way as another class, which its workloads leave.
    void park_like(Queue& queue, Classes::iterator parked, const Class& other);
    void set_parked(Queue& queue, Classes::iterator parked);
    [[nodiscard]] PendingId first_of(const Queue& queue) const;
    /// The workload that goes before all others of its LocalQueue until it leaves, if any.
    [[nodiscard]] std::optional<PendingId> sticky(const Queue& queue) const;

    const Cache& cache_;
    WorkloadOrder order_;
    std::unordered_map<PendingId, Waiting, Hash> waiting_;
    HopelessRequests hopeless_;
    std::uint64_t offers_ = 0;                    ///< How many workloads came to wait so far.
    std::vector<std::unique_ptr<Queue>> queues_;  ///< The queues, by QuotaNode.
    std::map<QuotaNode, std::vector<QuotaNode>> below_root_;  ///< The queues below each root.
    std::vector<std::uint32_t> rank_;                         ///< The rank of each queue, by name.
    std::vector<QuotaNode> by_rank_;
    /// The ranks of active queues that have a workload to offer.
    std::set<std::uint32_t> offering_;
};

}  // namespace berth::core::kueue

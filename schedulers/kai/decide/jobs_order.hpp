#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "schedulers/kai/decide/array_heap.hpp"
#include "schedulers/kai/decide/queue_order.hpp"
#include "schedulers/kai/decide/session.hpp"

namespace berth::core::kai {

/// Which jobs come into an order; each is also one of a queue without children.
struct JobFilter {
    bool must_be_pending = false;  ///< It has a pod that waits.
    bool must_be_ready = false;
    bool must_be_preemptible = false;
    bool must_be_active = false;
    bool must_be_past_delay = false;
};

/// The jobs of all queues in the order in which they are served, or in which they are victims: a
/// heap of jobs in each leaf, and heaps of queues above. Only the path of the last job is sorted
/// again, as in KAI.
class JobsOrder {
public:
    enum class Purpose : bool { service, victims };

    JobsOrder(Session& session, Purpose purpose)
        : session_(session),
          for_victims_(purpose == Purpose::victims),
          queues_(session.queues.size()) {}

    /// Adds a job if it passes; it must outlive the order.
    void offer(Job& job, const JobFilter& filter);
    void push(Job& job);
    /// Adds a part of a job, which the order keeps.
    void push_part(Job part) { push(parts_.emplace_back(std::move(part))); }
    /// Begins with the waiting jobs of each queue except `without`, and with `more`, of which none
    /// is among them: as if all were offered, by index.
    /// Cost: O(queues + more x log more), and O(waiting jobs) up to the last queue's first job.
    void start_with(const std::vector<WaitingJobs::Leaf>& waiting,
                    JobIndex without,
                    std::vector<Job*> more);
    [[nodiscard]] bool empty() const { return roots_.empty(); }
    Job& pop();

private:
    struct QueueNode {
        bool is_known = false;
        bool is_dirty = false;  ///< It is to be put where it belongs before it is looked at.
        ArrayHeap<Job*> jobs;
        /// Further jobs, of which so many have been popped or passed over; nullptr: none.
        const WaitingJobs::Leaf* waiting = nullptr;
        std::size_t passed = 0;
        std::optional<Job*> top;  ///< What top_of() returned, if that has not changed.
        ArrayHeap<QueueIndex> queues;
        /// 0, less what each job has that was popped here as a victim.
        Amounts popped{};
    };

    [[nodiscard]] bool passes(const Job& job, const JobFilter& filter) const;
    [[nodiscard]] bool is_empty(QueueIndex queue) {
        return queues_[queue].queues.empty() && top_of(queues_[queue]) == nullptr;
    }
    /// The first job of a queue itself; nullptr if it has none.
    [[nodiscard]] Job* top_of(QueueNode& queue) {
        if (!queue.top) {
            queue.top = find_top(queue);
        }
        return *queue.top;
    }
    [[nodiscard]] Job* find_top(QueueNode& queue);
    void push_into(QueueNode& queue, Job* job);
    [[nodiscard]] Job* top_waiting(QueueNode& queue);
    Job& pop_of(QueueNode& queue);
    void look_until(std::optional<JobIndex> last);
    void make_known(QueueIndex queue);
    [[nodiscard]] ArrayHeap<QueueIndex>& heap_of(QueueIndex queue);
    [[nodiscard]] NextOfQueue next_of(QueueIndex queue);
    bool queue_less(QueueIndex a, QueueIndex b);
    bool job_less(const Job& a, const Job& b) const;
    void flag_from(QueueIndex queue);
    [[nodiscard]] auto by_queue() {
        return [this](QueueIndex a, QueueIndex b) { return queue_less(a, b); };
    }
    [[nodiscard]] auto by_job() {
        return [this](const Job* a, const Job* b) { return job_less(*a, *b); };
    }

    Session& session_;
    bool for_victims_;
    std::vector<QueueNode> queues_;
    ArrayHeap<QueueIndex> roots_;
    std::deque<Job> parts_;
    JobIndex without_ = 0;           ///< Of the waiting jobs.
    std::optional<JobIndex> until_;  ///< Only waiting jobs up to this one are there yet.
};

}  // namespace berth::core::kai

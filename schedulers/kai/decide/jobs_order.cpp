#include "schedulers/kai/decide/jobs_order.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace berth::core::kai {

bool JobsOrder::passes(const Job& job, const JobFilter& filter) const {
    const JobSpec& spec = job.spec();
    const CycleSettings& settings = session_.settings;
    if ((filter.must_be_ready && !job.is_ready(0, session_.pods)) ||
        (filter.must_be_pending && !session_.is_pending(job.index())) ||
        (filter.must_be_preemptible && !spec.is_preemptible) ||
        (filter.must_be_active && !job.has_active(session_.pods)) ||
        !session_.queues[spec.queue].children.empty()) {
        return false;
    }
    const double since = std::max(spec.created, job.last_eviction.value_or(spec.created));
    return !filter.must_be_past_delay || spec.delay <= 0 || settings.now >= since + spec.delay;
}

void JobsOrder::offer(Job& job, const JobFilter& filter) {
    if (passes(job, filter)) {
        push(job);
    }
}

ArrayHeap<QueueIndex>& JobsOrder::heap_of(QueueIndex queue) {
    const QueueIndex parent = session_.queues[queue].parent;
    return parent == no_queue ? roots_ : queues_[parent].queues;
}

NextOfQueue JobsOrder::next_of(QueueIndex queue) {
    QueueIndex leaf = queue;
    Job* top = top_of(queues_[leaf]);
    while (top == nullptr) {
        leaf = queues_[leaf].queues.top();
        top = top_of(queues_[leaf]);
    }
    Job& job = *top;
    if (for_victims_) {
        return {queue, {}, minus(queues_[leaf].popped, charged(job.allocated(session_.pods)))};
    }
    const Amounts request = charged(job.request(false, session_.pods));
    return {queue, request, request};
}

bool JobsOrder::queue_less(QueueIndex a, QueueIndex b) {
    if (is_empty(a) || is_empty(b)) {
        return is_empty(a) != for_victims_;
    }
    const NextOfQueue next_of_a = next_of(a);
    const NextOfQueue next_of_b = next_of(b);
    return is_before(session_.queues, next_of_a, next_of_b, session_.total) != for_victims_;
}

bool JobsOrder::job_less(const Job& a, const Job& b) const {
    return is_served_before(a, b, session_.pods) != for_victims_;
}

Job* JobsOrder::top_waiting(QueueNode& queue) {
    if (queue.waiting == nullptr) {
        return nullptr;
    }
    if (!until_) {
        const std::vector<Job*>& served = queue.waiting->served;
        while (queue.passed < served.size() && served[queue.passed]->index() == without_) {
            ++queue.passed;
        }
        return queue.passed < served.size() ? served[queue.passed] : nullptr;
    }
    Job* first = nullptr;
    for (Job* job : queue.waiting->by_index) {
        if (job->index() > *until_) {
            break;
        }
        if (job->index() != without_ && (first == nullptr || job_less(*job, *first))) {
            first = job;
        }
    }
    return first;
}

Job* JobsOrder::find_top(QueueNode& queue) {
    Job* const waiting = top_waiting(queue);
    if (queue.jobs.empty()) {
        return waiting;
    }
    Job* const pushed = queue.jobs.top();
    return waiting != nullptr && job_less(*waiting, *pushed) ? waiting : pushed;
}

Job& JobsOrder::pop_of(QueueNode& queue) {
    Job* const top = top_of(queue);
    queue.top.reset();
    if (!queue.jobs.empty() && queue.jobs.top() == top) {
        return *queue.jobs.pop(by_job());
    }
    ++queue.passed;
    return *top;
}

void JobsOrder::push_into(QueueNode& queue, Job* job) {
    queue.jobs.push(job, by_job());
    queue.top.reset();
}

void JobsOrder::look_until(std::optional<JobIndex> last) {
    until_ = last;
    for (QueueNode& queue : queues_) {
        queue.top.reset();
    }
}

void JobsOrder::start_with(const std::vector<WaitingJobs::Leaf>& waiting,
                           JobIndex without,
                           std::vector<Job*> more) {
    without_ = without;
    std::erase_if(more, [&](const Job* job) { return !passes(*job, {}); });
    std::ranges::sort(more, {}, [](const Job* job) { return job->index(); });
    // When each queue gets its first job: queues are put into their heaps then, and compared with
    // what the others have at that time.
    std::map<QueueIndex, JobIndex> first_of;
    for (QueueIndex queue = 0; queue < waiting.size(); ++queue) {
        queues_[queue].waiting = &waiting[queue];
        for (const Job* job : waiting[queue].by_index) {
            if (job->index() != without) {
                first_of.emplace(queue, job->index());
                break;
            }
        }
    }
    for (const Job* job : more) {
        JobIndex& first = first_of.try_emplace(job->spec().queue, job->index()).first->second;
        first = std::min(first, job->index());
    }
    std::vector<std::pair<JobIndex, QueueIndex>> firsts;
    for (const auto& [queue, first] : first_of) {
        firsts.emplace_back(first, queue);
    }
    std::ranges::sort(firsts);
    auto next = more.begin();
    for (const auto& [index, queue] : firsts) {
        look_until(index);
        for (; next != more.end() && (*next)->index() <= index; ++next) {
            push_into(queues_[(*next)->spec().queue], *next);
        }
        make_known(queue);
        flag_from(queue);
    }
    look_until(std::nullopt);
    for (; next != more.end(); ++next) {
        push_into(queues_[(*next)->spec().queue], *next);
    }
}

void JobsOrder::flag_from(QueueIndex queue) {
    for (; queue != no_queue; queue = session_.queues[queue].parent) {
        queues_[queue].is_dirty = true;
    }
}

void JobsOrder::push(Job& job) {
    const QueueIndex leaf = job.spec().queue;
    push_into(queues_[leaf], &job);
    make_known(leaf);
    flag_from(leaf);
}

/// The queue has a job: it is put into the heaps above it, as far as it is not there.
void JobsOrder::make_known(QueueIndex queue) {
    bool is_new = !queues_[queue].is_known;
    for (QueueIndex at = queue; is_new;) {
        queues_[at].is_known = true;
        queues_[at].is_dirty = false;
        const QueueIndex parent = session_.queues[at].parent;
        is_new = parent != no_queue && !queues_[parent].is_known;
        heap_of(at).push(at, by_queue());
        at = parent;
    }
}

Job& JobsOrder::pop() {
    ArrayHeap<QueueIndex>* heap = &roots_;
    QueueIndex at = no_queue;
    while (at == no_queue || top_of(queues_[at]) == nullptr) {
        const QueueIndex top = heap->top();
        if (queues_[top].is_dirty) {
            heap->fix_top(by_queue());
            queues_[top].is_dirty = false;
            continue;
        }
        at = top;
        heap = &queues_[at].queues;
    }
    Job& job = pop_of(queues_[at]);
    if (for_victims_) {
        queues_[at].popped = minus(queues_[at].popped, charged(job.allocated(session_.pods)));
    }
    for (; at != no_queue && is_empty(at); at = session_.queues[at].parent) {
        heap_of(at).pop(by_queue());
        queues_[at].is_known = false;
    }
    flag_from(at);
    return job;
}

}  // namespace berth::core::kai

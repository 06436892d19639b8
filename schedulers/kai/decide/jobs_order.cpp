#include "schedulers/kai/decide/jobs_order.hpp"

#include <algorithm>

namespace berth::core::kai {

bool JobsOrder::passes(const Job& job, const JobFilter& filter) const {
    const JobSpec& spec = job.spec();
    const CycleSettings& settings = session_.settings;
    if ((filter.must_be_ready && !job.is_ready(0, session_.pods)) ||
        (filter.must_be_pending && !session_.is_pending(job.index())) ||
        (filter.must_be_preemptible && !spec.is_preemptible) ||
        (filter.must_be_active && !job.has(active, session_.pods)) ||
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
    while (queues_[leaf].jobs.empty()) {
        leaf = queues_[leaf].queues.top();
    }
    Job& job = *queues_[leaf].jobs.top();
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
    const auto is_first = [&] {
        if (a.spec().priority != b.spec().priority) {
            return a.spec().priority > b.spec().priority;
        }
        const int state_a = a.elastic_state(session_.pods);
        const int state_b = b.elastic_state(session_.pods);
        if (state_a != state_b) {
            return state_a < state_b;
        }
        return a.spec().created != b.spec().created ? a.spec().created < b.spec().created
                                                    : a.index() < b.index();
    };
    return is_first() != for_victims_;
}

void JobsOrder::flag_from(QueueIndex queue) {
    for (; queue != no_queue; queue = session_.queues[queue].parent) {
        queues_[queue].is_dirty = true;
    }
}

void JobsOrder::push(Job& job) {
    const QueueIndex leaf = job.spec().queue;
    bool is_new = !queues_[leaf].is_known;
    queues_[leaf].jobs.push(&job, by_job());
    for (QueueIndex at = leaf; is_new;) {
        queues_[at].is_known = true;
        queues_[at].is_dirty = false;
        const QueueIndex parent = session_.queues[at].parent;
        is_new = parent != no_queue && !queues_[parent].is_known;
        heap_of(at).push(at, by_queue());
        at = parent;
    }
    flag_from(leaf);
}

Job& JobsOrder::pop() {
    ArrayHeap<QueueIndex>* heap = &roots_;
    QueueIndex at = no_queue;
    while (at == no_queue || queues_[at].jobs.empty()) {
        const QueueIndex top = heap->top();
        if (queues_[top].is_dirty) {
            heap->fix_top(by_queue());
            queues_[top].is_dirty = false;
            continue;
        }
        at = top;
        heap = &queues_[at].queues;
    }
    Job& job = *queues_[at].jobs.pop(by_job());
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

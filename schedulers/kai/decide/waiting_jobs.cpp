#include "schedulers/kai/decide/waiting_jobs.hpp"

#include <algorithm>
#include <utility>

#include "schedulers/kai/decide/session.hpp"

namespace berth::core::kai {

bool is_served_before(const Job& a, const Job& b, const std::vector<Pod>& pods) {
    if (a.spec().priority != b.spec().priority) {
        return a.spec().priority > b.spec().priority;
    }
    const int state_a = a.elastic_state(pods);
    const int state_b = b.elastic_state(pods);
    if (state_a != state_b) {
        return state_a < state_b;
    }
    return a.spec().created != b.spec().created ? a.spec().created < b.spec().created
                                                : a.index() < b.index();
}

void WaitingJobs::start(std::size_t queues, std::size_t jobs) {
    leaves_.resize(queues);
    standing_.resize(jobs);
    is_touched_.resize(jobs);
    for (std::size_t job = 0; job < jobs; ++job) {
        touch(static_cast<JobIndex>(job));
    }
}

void WaitingJobs::touch(JobIndex job) {
    if (!is_touched_[job]) {
        is_touched_[job] = true;
        touched_.push_back(job);
    }
}

void WaitingJobs::refresh(Session& session) {
    std::vector<Job*> moved;
    for (const JobIndex index : std::exchange(touched_, {})) {
        is_touched_[index] = false;
        Job& job = session.jobs[index];
        const QueueIndex queue = job.spec().queue;
        const bool waits = session.is_pending(index) && session.queues[queue].children.empty();
        const std::optional<int> now =
            waits ? std::optional(job.elastic_state(session.pods)) : std::nullopt;
        if (now == standing_[index]) {
            continue;
        }
        if (standing_[index]) {
            std::erase(leaves_[queue].served, &job);
            std::erase(leaves_[queue].by_index, &job);
        }
        standing_[index] = now;
        if (now) {
            moved.push_back(&job);
        }
    }
    for (Job* job : moved) {
        Leaf& leaf = leaves_[job->spec().queue];
        leaf.served.insert(
            std::ranges::lower_bound(
                leaf.served,
                job,
                [&](const Job* a, const Job* b) { return is_served_before(*a, *b, session.pods); }),
            job);
        leaf.by_index.insert(
            std::ranges::lower_bound(
                leaf.by_index, job->index(), {}, [](const Job* each) { return each->index(); }),
            job);
    }
}

}  // namespace berth::core::kai

#include "schedulers/kueue/run/kueue_meter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace berth::sim {

namespace {

const std::vector<int> percentiles{500, 950, 1000};

double count(std::uint64_t number) {
    return static_cast<double>(number);
}

}  // namespace

KueueMeter::KueueMeter(std::vector<std::string> queues,
                       std::vector<std::string> local_queues,
                       Window window)
    : queue_count_(queues.size()), names_(std::move(queues)), window_(window) {
    std::ranges::move(local_queues, std::back_inserter(names_));
    queues_.resize(names_.size());
}

template <class Count>
void KueueMeter::each_of(const Lines& of, const Count& count) {
    count(queues_[of.queue.index]);
    if (of.local_queue) {
        count(queues_[queue_count_ + of.local_queue->index]);
    }
}

void KueueMeter::waits_for_quota(JobId id, const Job& job, Lines of, SimTime now) {
    if (const auto found = waiting_.find(id); found != waiting_.end() && found->second.counts) {
        placement_wait_.going_on(seconds(now - found->second.since));  // it found no places
    }
    waiting_[id] = {of, true, window_.counts(job.submit), now};
}

void KueueMeter::waits_for_places(JobId id, const Job& job, Lines of, SimTime now) {
    // If it has only lost some of its pods before the last one found a place, its wait goes on.
    waiting_.try_emplace(id, Waiting{of, false, window_.counts(job.submit), now});
}

void KueueMeter::admitted(JobId id, SimTime now) {
    Waiting& waiting = waiting_.at(id);
    if (waiting.counts) {
        each_of(waiting.of, [&](OfQueue& queue) {
            queue.admission_wait.ended(seconds(now - waiting.since));
            ++queue.admitted;
        });
        admission_wait_.ended(seconds(now - waiting.since));
        ++admitted_;
    }
    waiting.for_quota = false;
    waiting.since = now;
}

void KueueMeter::placed(JobId id, SimTime now) {
    const auto found = waiting_.find(id);
    if (found != waiting_.end()) {
        if (found->second.counts) {
            placement_wait_.ended(seconds(now - found->second.since));
        }
        waiting_.erase(found);
    }
}

void KueueMeter::leaves(JobId id) {
    waiting_.erase(id);
}

void KueueMeter::preempted(const Job& job, Lines of) {
    if (window_.counts(job.submit)) {
        each_of(of, [](OfQueue& queue) { ++queue.preempted; });
        ++preempted_;
    }
}

void KueueMeter::timed_out(const Job& job) {
    timed_out_ += window_.counts(job.submit) ? 1 : 0;
}

void KueueMeter::finish(SimTime now) {
    for (const auto& [id, waiting] : waiting_) {
        if (!waiting.counts) {
            continue;
        }
        const double so_far = seconds(now - waiting.since);
        if (waiting.for_quota) {
            each_of(waiting.of, [&](OfQueue& queue) { queue.admission_wait.going_on(so_far); });
            admission_wait_.going_on(so_far);
        } else {
            placement_wait_.going_on(so_far);
        }
    }
    waiting_.clear();
}

void KueueMeter::add_to(std::vector<Metric>& out) const {
    out.push_back(admission_wait_.mean("admission_wait_s_mean"));
    admission_wait_.add_percentiles(out, "admission_wait_s", percentiles);
    out.push_back(placement_wait_.mean("placement_wait_s_mean"));
    placement_wait_.add_percentiles(out, "placement_wait_s", percentiles);
    out.push_back({"workloads_admitted", count(admitted_)});
    out.push_back({"workloads_not_ready", count(timed_out_)});
    out.push_back({"workloads_preempted", count(preempted_)});
    for (std::size_t i = 0; i < queues_.size(); ++i) {
        if (names_[i].empty()) {
            continue;
        }
        const std::string prefix = fmt::format("queue/{}/", names_[i]);
        out.push_back({prefix + "admitted", count(queues_[i].admitted)});
        out.push_back(queues_[i].admission_wait.mean(prefix + "admission_wait_s_mean"));
        queues_[i].admission_wait.add_percentiles(out, prefix + "admission_wait_s", {950, 1000});
        out.push_back({prefix + "preempted", count(queues_[i].preempted)});
    }
}

}  // namespace berth::sim
